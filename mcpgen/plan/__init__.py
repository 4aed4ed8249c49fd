"""Api, shapes and names become a Package: what will be emitted, in final Python spelling."""

from mcpgen.plan.client import example, plan
from mcpgen.plan.package import Package, Skeleton
from mcpgen.plan.server import plan as plan_server
from mcpgen.plan.spelling import Style

__all__ = ["Package", "Skeleton", "Style", "example", "plan", "plan_server"]
