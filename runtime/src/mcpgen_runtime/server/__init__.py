"""Runtime of generated servers, on the SDK's low-level server. Imported on first use."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..contract import ToolInfo as ToolInfo
    from ..models.raw import extras as extras
    from ..models.raw import raw_json as raw_json
    from .auth.introspection import Introspection as Introspection
    from .auth.jwt_auth import JwtAuth as JwtAuth
    from .auth.scopes import requires as requires
    from .builder import ContractServer as ContractServer
    from .builder import build as build
    from .command_line import app as app
    from .command_line import run as run
    from .contents import Handler as Handler
    from .context import Context as Context
    from .conversation.forms import Unanswered as Unanswered
    from .conversation.sampling import SamplingResult as SamplingResult
    from .conversation.sampling import SamplingTool as SamplingTool
    from .errors import NotFound as NotFound
    from .errors import ToolError as ToolError
    from .errors import TooManyRounds as TooManyRounds
    from .former import call_former_prompt as call_former_prompt
    from .former import call_former_resource as call_former_resource
    from .former import call_former_server as call_former_server
    from .former import call_former_tool as call_former_tool
    from .policy import Authorize as Authorize
    from .policy import Complete as Complete
    from .policy import Limits as Limits
    from .policy import Policy as Policy
    from .policy import Sanitize as Sanitize
    from .policy import Tasks as Tasks
    from .rates import Rate as Rate
    from .replicas.redis_store import RedisStore as RedisStore
    from .results import PromptOutput as PromptOutput
    from .results import ResourceOutput as ResourceOutput
    from .results import ToolOutput as ToolOutput
    from .serving.traffic import HttpLimits as HttpLimits
    from .subscriptions import Subscriptions as Subscriptions
else:
    from ..lazy import attach

    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "..contract": "ToolInfo",
            "..models.raw": "extras raw_json",
            ".auth.introspection": "Introspection",
            ".auth.jwt_auth": "JwtAuth",
            ".auth.scopes": "requires",
            ".builder": "ContractServer build",
            ".command_line": "app run",
            ".contents": "Handler",
            ".context": "Context",
            ".errors": "NotFound ToolError TooManyRounds",
            ".former": (
                "call_former_prompt call_former_resource call_former_server call_former_tool"
            ),
            ".conversation.forms": "Unanswered",
            ".policy": "Authorize Complete Limits Policy Sanitize Tasks",
            ".rates": "Rate",
            ".replicas.redis_store": "RedisStore",
            ".results": "ToolOutput PromptOutput ResourceOutput",
            ".conversation.sampling": "SamplingResult SamplingTool",
            ".subscriptions": "Subscriptions",
            ".serving.traffic": "HttpLimits",
        },
    )
