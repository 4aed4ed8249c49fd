"""Runtime library of the clients and servers that mcpgen generates.

Its public names are imported on first use. They are documented here once, and generated
packages re-export them.
"""

TYPE_CHECKING = False  # importing typing's takes longer than the rest of this module

if TYPE_CHECKING:
    from pydantic import MISSING as MISSING

    from ._version import __version__ as __version__
    from .agents.combined import agent_tools as agent_tools
    from .agents.combined import agent_tools_sync as agent_tools_sync
    from .agents.result import AgentResult as AgentResult
    from .agents.search import FoundTool as FoundTool
    from .agents.search import search_tools as search_tools
    from .agents.tool import AgentTool as AgentTool
    from .agents.tool_requests import AgentApi as AgentApi
    from .agents.toolset import AgentTools as AgentTools
    from .agents.toolset import SyncAgentTools as SyncAgentTools
    from .auth.options import Auth as Auth
    from .auth.options import Login as Login
    from .calls.confirm import Confirm as Confirm
    from .calls.confirm import ConfirmWhen as ConfirmWhen
    from .calls.middleware import Call as Call
    from .calls.middleware import Hints as Hints
    from .calls.middleware import Middleware as Middleware
    from .calls.middleware import Proceed as Proceed
    from .calls.task import SyncTask as SyncTask
    from .calls.task import Task as Task
    from .calls.tasks.status import TaskStatus as TaskStatus
    from .client.multi_client import connect_all as connect_all
    from .client.multi_client import connect_all_sync as connect_all_sync
    from .connection.callbacks import Callbacks as Callbacks
    from .connection.callbacks import LogLevel as LogLevel
    from .connection.callbacks import OnLog as OnLog
    from .connection.callbacks import OnResourceUpdated as OnResourceUpdated
    from .connection.callbacks import OnToolsChanged as OnToolsChanged
    from .connection.drift import Verify as Verify
    from .connection.routing.routes import Target as Target
    from .contract import ToolInfo as ToolInfo
    from .conversation.fields import BooleanField as BooleanField
    from .conversation.fields import ChoiceField as ChoiceField
    from .conversation.fields import ChoicesField as ChoicesField
    from .conversation.fields import Field as Field
    from .conversation.fields import NumberField as NumberField
    from .conversation.fields import TextField as TextField
    from .conversation.questions import Elicit as Elicit
    from .conversation.questions import Question as Question
    from .conversation.roots import Roots as Roots
    from .conversation.sampling import Sampling as Sampling
    from .conversation.sampling import SamplingRequest as SamplingRequest
    from .conversation.sampling import SamplingResult as SamplingResult
    from .conversation.terminal_prompts import ask_in_terminal as ask_in_terminal
    from .errors import AuthorizationRequired as AuthorizationRequired
    from .errors import CallTimeout as CallTimeout
    from .errors import Change as Change
    from .errors import ClientError as ClientError
    from .errors import ConnectionFailed as ConnectionFailed
    from .errors import ConnectionLost as ConnectionLost
    from .errors import ContractDrift as ContractDrift
    from .errors import ContractUnknown as ContractUnknown
    from .errors import HttpError as HttpError
    from .errors import InvalidAnswer as InvalidAnswer
    from .errors import InvalidArguments as InvalidArguments
    from .errors import InvalidRecording as InvalidRecording
    from .errors import InvalidResult as InvalidResult
    from .errors import InvalidTask as InvalidTask
    from .errors import MissingCapability as MissingCapability
    from .errors import NotConfirmed as NotConfirmed
    from .errors import NotRecorded as NotRecorded
    from .errors import ProtocolError as ProtocolError
    from .errors import StaleRecording as StaleRecording
    from .errors import TaskCancelled as TaskCancelled
    from .errors import TaskUnsupported as TaskUnsupported
    from .errors import ToolError as ToolError
    from .errors import TooManyCalls as TooManyCalls
    from .errors import UnexpectedResult as UnexpectedResult
    from .errors import UnknownTool as UnknownTool
    from .models.content import Binary as Binary
    from .models.formats import Date as Date
    from .models.formats import DateTime as DateTime
    from .models.formats import Uri as Uri
    from .models.formats import Uuid as Uuid
    from .models.raw import extras as extras
    from .models.raw import raw_json as raw_json
    from .models.response import Response as Response
    from .models.results import ResourceResult as ResourceResult
    from .models.results import ToolResult as ToolResult
    from .options import Record as Record
    from .options import Replay as Replay
    from .options import Retry as Retry
    from .options import SessionOptions as SessionOptions
    from .problem import Problem as Problem
    from .testing.calls import FakeCall as FakeCall
    from .testing.errors import InvalidFake as InvalidFake
    from .testing.errors import NoMatchingRule as NoMatchingRule
    from .testing.rules import FakeRule as FakeRule
    from .tool import Meta as Meta
    from .tool import OnProgress as OnProgress
else:
    from ._version import __version__ as __version__
    from .lazy import attach

    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            ".agents.combined": "agent_tools agent_tools_sync",
            ".agents.result": "AgentResult",
            ".agents.search": "FoundTool search_tools",
            ".agents.tool": "AgentTool",
            ".agents.tool_requests": "AgentApi",
            ".agents.toolset": "AgentTools SyncAgentTools",
            ".auth.options": "Auth Login",
            ".calls.confirm": "Confirm ConfirmWhen",
            ".calls.middleware": "Call Hints Middleware Proceed",
            ".calls.tasks.status": "TaskStatus",
            ".calls.task": "SyncTask Task",
            ".client.multi_client": "connect_all connect_all_sync",
            ".connection.callbacks": "Callbacks LogLevel OnLog OnResourceUpdated OnToolsChanged",
            ".connection.drift": "Verify",
            ".connection.routing.routes": "Target",
            ".contract": "ToolInfo",
            ".conversation.fields": (
                "BooleanField ChoiceField ChoicesField Field NumberField TextField"
            ),
            ".conversation.questions": "Elicit Question",
            ".conversation.roots": "Roots",
            ".conversation.sampling": "Sampling SamplingResult SamplingRequest",
            ".conversation.terminal_prompts": "ask_in_terminal",
            ".errors": (
                "AuthorizationRequired CallTimeout Change ClientError ConnectionFailed"
                " ConnectionLost ContractDrift ContractUnknown HttpError InvalidAnswer"
                " InvalidArguments InvalidRecording InvalidResult InvalidTask MissingCapability"
                " NotConfirmed NotRecorded ProtocolError StaleRecording TaskCancelled"
                " TaskUnsupported TooManyCalls ToolError UnexpectedResult UnknownTool"
            ),
            ".models.content": "Binary",
            ".models.formats": "Date DateTime Uri Uuid",
            ".models.raw": "extras raw_json",
            ".models.response": "Response",
            ".models.results": "ResourceResult ToolResult",
            ".options": "Record Replay Retry SessionOptions",
            ".problem": "Problem",
            ".testing.calls": "FakeCall",
            ".testing.errors": "InvalidFake NoMatchingRule",
            ".testing.rules": "FakeRule",
            ".tool": "Meta OnProgress",
            "pydantic": "MISSING",
        },
    )
