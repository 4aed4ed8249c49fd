"""What every client package offers besides its own classes and types."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import MISSING as MISSING

    from .auth import Auth as Auth
    from .auth import Login as Login
    from .callbacks import LogLevel as LogLevel
    from .callbacks import OnLog as OnLog
    from .callbacks import OnResourceUpdated as OnResourceUpdated
    from .callbacks import OnToolsChanged as OnToolsChanged
    from .confirm import Confirm as Confirm
    from .confirm import ConfirmWhen as ConfirmWhen
    from .connect import Elicit as Elicit
    from .content import Binary as Binary
    from .contract import ToolInfo as ToolInfo
    from .drift import Verify as Verify
    from .errors import AuthorizationRequired as AuthorizationRequired
    from .errors import CallTimeout as CallTimeout
    from .errors import Change as Change
    from .errors import ClientError as ClientError
    from .errors import ConnectionFailed as ConnectionFailed
    from .errors import ConnectionLost as ConnectionLost
    from .errors import ContractDrift as ContractDrift
    from .errors import HttpError as HttpError
    from .errors import InvalidArguments as InvalidArguments
    from .errors import InvalidResult as InvalidResult
    from .errors import MissingCapability as MissingCapability
    from .errors import NotConfirmed as NotConfirmed
    from .errors import ProtocolError as ProtocolError
    from .errors import ToolError as ToolError
    from .errors import TooManyCalls as TooManyCalls
    from .errors import UnknownTool as UnknownTool
    from .formats import Date as Date
    from .formats import DateTime as DateTime
    from .formats import Uri as Uri
    from .formats import Uuid as Uuid
    from .many import connect_all as connect_all
    from .many import connect_all_sync as connect_all_sync
    from .middleware import Call as Call
    from .middleware import Hints as Hints
    from .middleware import Middleware as Middleware
    from .middleware import Proceed as Proceed
    from .options import Retry as Retry
    from .problem import Problem as Problem
    from .raw import extras as extras
    from .raw import raw_json as raw_json
    from .response import Response as Response
    from .results import ResourceResult as ResourceResult
    from .results import ToolResult as ToolResult
    from .routes import Target as Target
    from .tool import Meta as Meta
    from .tool import OnProgress as OnProgress
else:
    NAMES = {
        "pydantic": "MISSING",
        "._runtime.auth": "Auth Login",
        "._runtime.callbacks": "LogLevel OnLog OnResourceUpdated OnToolsChanged",
        "._runtime.confirm": "Confirm ConfirmWhen",
        "._runtime.connect": "Elicit",
        "._runtime.content": "Binary",
        "._runtime.drift": "Verify",
        "._runtime.errors": (
            "AuthorizationRequired CallTimeout Change ClientError ConnectionFailed"
            " ConnectionLost ContractDrift HttpError InvalidArguments InvalidResult"
            " MissingCapability NotConfirmed ProtocolError ToolError TooManyCalls"
            " UnknownTool"
        ),
        "._runtime.contract": "ToolInfo",
        "._runtime.many": "connect_all connect_all_sync",
        "._runtime.middleware": "Call Hints Middleware Proceed",
        "._runtime.options": "Retry",
        "._runtime.problem": "Problem",
        "._runtime.response": "Response",
        "._runtime.results": "ResourceResult ToolResult",
        "._runtime.routes": "Target",
        "._runtime.tool": "Meta OnProgress",
        "._runtime.formats": "Date DateTime Uri Uuid",
        "._runtime.raw": "extras raw_json",
    }
    """The names by their modules, as the package loads them."""
