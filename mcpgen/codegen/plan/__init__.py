"""Api, shapes and names become a Package: what will be emitted, in final Python spelling."""

from mcpgen.codegen.plan.client import plan
from mcpgen.codegen.plan.example import Example, example
from mcpgen.codegen.plan.package import Package, Skeleton
from mcpgen.codegen.plan.pins import pin
from mcpgen.codegen.plan.server import plan as plan_server
from mcpgen.codegen.plan.spelling import Style

__all__ = ["Example", "Package", "Skeleton", "Style", "example", "pin", "plan", "plan_server"]
