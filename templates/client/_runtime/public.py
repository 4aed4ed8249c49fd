"""What every client package offers besides its own classes and types."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import MISSING as MISSING

    from .agents.offer import AgentTools as AgentTools
    from .agents.offer import SyncAgentTools as SyncAgentTools
    from .agents.reading import AgentApi as AgentApi
    from .agents.result import AgentResult as AgentResult
    from .agents.several import agent_tools as agent_tools
    from .agents.several import agent_tools_sync as agent_tools_sync
    from .agents.tool import AgentTool as AgentTool
    from .asking import ask_in_terminal as ask_in_terminal
    from .auth import Auth as Auth
    from .auth import Login as Login
    from .callbacks import LogLevel as LogLevel
    from .callbacks import OnLog as OnLog
    from .callbacks import OnResourceUpdated as OnResourceUpdated
    from .callbacks import OnToolsChanged as OnToolsChanged
    from .confirm import Confirm as Confirm
    from .confirm import ConfirmWhen as ConfirmWhen
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
    from .errors import UnexpectedAnswer as UnexpectedAnswer
    from .errors import UnknownTool as UnknownTool
    from .fakes.calls import FakeCall as FakeCall
    from .fakes.errors import InvalidFake as InvalidFake
    from .fakes.errors import NotFaked as NotFaked
    from .fakes.rules import FakeRule as FakeRule
    from .fields import BooleanField as BooleanField
    from .fields import ChoiceField as ChoiceField
    from .fields import ChoicesField as ChoicesField
    from .fields import Field as Field
    from .fields import NumberField as NumberField
    from .fields import TextField as TextField
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
    from .questions import Elicit as Elicit
    from .questions import Question as Question
    from .raw import extras as extras
    from .raw import raw_json as raw_json
    from .response import Response as Response
    from .results import ResourceResult as ResourceResult
    from .results import ToolResult as ToolResult
    from .roots import Roots as Roots
    from .routes import Target as Target
    from .sampling import Sampling as Sampling
    from .sampling import SamplingAnswer as SamplingAnswer
    from .sampling import SamplingRequest as SamplingRequest
    from .task_status import TaskStatus as TaskStatus
    from .tasks import SyncTask as SyncTask
    from .tasks import Task as Task
    from .tool import Meta as Meta
    from .tool import OnProgress as OnProgress
    from .tool_search import FoundTool as FoundTool
    from .tool_search import search_tools as search_tools
else:
    NAMES = {
        "pydantic": "MISSING",
        "._runtime.agents.offer": "AgentTools SyncAgentTools",
        "._runtime.agents.reading": "AgentApi",
        "._runtime.agents.result": "AgentResult",
        "._runtime.agents.several": "agent_tools agent_tools_sync",
        "._runtime.agents.tool": "AgentTool",
        "._runtime.asking": "ask_in_terminal",
        "._runtime.auth": "Auth Login",
        "._runtime.callbacks": "LogLevel OnLog OnResourceUpdated OnToolsChanged",
        "._runtime.confirm": "Confirm ConfirmWhen",
        "._runtime.content": "Binary",
        "._runtime.drift": "Verify",
        "._runtime.errors": (
            "AuthorizationRequired CallTimeout Change ClientError ConnectionFailed"
            " ConnectionLost ContractDrift ContractUnknown HttpError InvalidAnswer"
            " InvalidArguments InvalidRecording InvalidResult InvalidTask"
            " MissingCapability NotConfirmed NotRecorded ProtocolError StaleRecording"
            " TaskCancelled TaskUnsupported ToolError TooManyCalls UnexpectedAnswer"
            " UnknownTool"
        ),
        "._runtime.fakes.calls": "FakeCall",
        "._runtime.fakes.errors": "InvalidFake NotFaked",
        "._runtime.fakes.rules": "FakeRule",
        "._runtime.fields": (
            "BooleanField ChoiceField ChoicesField Field NumberField TextField"
        ),
        "._runtime.contract": "ToolInfo",
        "._runtime.many": "connect_all connect_all_sync",
        "._runtime.middleware": "Call Hints Middleware Proceed",
        "._runtime.options": "Retry",
        "._runtime.problem": "Problem",
        "._runtime.questions": "Elicit Question",
        "._runtime.response": "Response",
        "._runtime.results": "ResourceResult ToolResult",
        "._runtime.roots": "Roots",
        "._runtime.routes": "Target",
        "._runtime.sampling": "Sampling SamplingAnswer SamplingRequest",
        "._runtime.task_status": "TaskStatus",
        "._runtime.tasks": "SyncTask Task",
        "._runtime.tool": "Meta OnProgress",
        "._runtime.tool_search": "FoundTool search_tools",
        "._runtime.formats": "Date DateTime Uri Uuid",
        "._runtime.raw": "extras raw_json",
    }
    """The names by their modules, as the package loads them."""
