"""Api, shapes and names become a Package: what will be emitted, in final Python spelling."""

from mcpgen.plan.client import plan
from mcpgen.plan.example import Example, example
from mcpgen.plan.package import Package, Skeleton
from mcpgen.plan.pins import pin
from mcpgen.plan.server import plan as plan_server
from mcpgen.plan.spelling import Style

__all__ = ["Example", "Package", "Skeleton", "Style", "example", "pin", "plan", "plan_server"]
