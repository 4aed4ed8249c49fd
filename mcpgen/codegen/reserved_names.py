"""Lists the names that generated code must not choose, as Python or the package needs them."""

from __future__ import annotations

# Names that annotations in the same class body need.
TYPES = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple"})
MEMBERS = TYPES | {"self"}
"""Names that fields and parameters must not have."""

MODEL = MEMBERS | {
    "construct",
    "copy",
    "from_orm",
    "json",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
}
"""Further names that fields of a Pydantic model must not have: the attributes of ``BaseModel``."""

METHODS = TYPES | {
    "type",
    "call",
    "connect",
    "sync",
    "with_options",
    "response",
    "roots_changed",
    "models",
    "prompts",
    "resources",
    "tools",
    "session",
    "abstractmethod",
    "blocking",
    "contract",
    "open",
    "close",
    "aclose",
    "start",
    "resume",
    "fake",
    "on",
    "calls",
    "mro",
    "property",
    "classmethod",
    "staticmethod",
}
OF_RESOURCES = METHODS | {"read", "subscribe", "unsubscribe"}
"""Names that resources must not have: the methods of the view of resources."""
SHARED = "shared"
"""The module of shared classes."""

PARTS = "_parts"
"""The folder of modules split off from long models."""

_DEVICES = {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
MODULES = frozenset({"con", "prn", "aux", "nul", "conin", "conout", SHARED, PARTS}) | _DEVICES
"""Module names that a package uses itself, or that Windows reserves for devices."""

CLASSES = frozenset(
    "Annotated Any InstanceOf Literal Mapping NotRequired Sequence TypeAlias TypeAliasType"
    " TypedDict TYPE_CHECKING Field MISSING TypeAdapter True False None"
    " DateOrText DateTimeOrText UuidOrText"
    " Boolean Closed ClosedModel ClosedSparse ClosedSparseModel Date DateTime Exactly Integer"
    " Maybe Nothing Number Numeric Open OpenModel OpenSparseModel Uri Uuid Whole CLOSED OPEN"
    " TOOL TOOLS CallOptions CallToolResult Client GetPromptResult ResourceResult Response Tool"
    " ToolInfo ToolResult AuthorizationRequired CallTimeout ClientError ConnectionFailed"
    " ConnectionLost ContractDrift ContractUnknown HttpError InvalidArguments InvalidResult"
    " NotConfirmed Callbacks Record Replay SessionOptions"
    " ProtocolError ToolError UnknownTool ToolOutput Authorize Complete Context Limits NotFound"
    " Policy PromptOutput Rate ResourceOutput Sanitize Subscriptions Binary Change Confirm"
    " ConfirmWhen Elicit Meta OnProgress Problem Retry Target TooManyCalls UnexpectedResult Verify"
    " Auth Login LogLevel OnLog OnResourceUpdated OnToolsChanged BooleanField ChoiceField"
    " ChoicesField InvalidAnswer NumberField Question Roots Sampling SamplingResult"
    " SamplingRequest TextField Call MissingCapability Middleware Hints Proceed SamplingResult"
    " SamplingTool Tasks TooManyRounds InvalidTask SyncTask Task TaskCancelled TaskStatus"
    " TaskUnsupported FoundTool AgentResult AgentTool AgentTools SyncAgentTools AgentApi"
    " FakeCall FakeRule FakeFactory InvalidFake InvalidRecording NoMatchingRule NotRecorded"
    " StaleRecording HttpLimits ContractServer Unanswered".split()
)
"""Names that shared classes must not have: exports of the package, and names it uses."""

# A package with one of these names would shadow a module that it or Python imports.
PACKAGES = frozenset(
    "abc anyio array ast asyncio base64 bisect builtins bz2 calendar click cmath cmd code"
    " codecs collections concurrent contextlib copy csv ctypes dataclasses datetime decimal"
    " difflib dis doctest email encodings enum errno exceptiongroup fastmcp fileinput fnmatch"
    " fractions ftplib functools gc getpass glob graphlib gzip hashlib heapq hmac html http"
    " httpx2 imaplib inspect io json jsonschema keyword linecache locale logging lzma mailbox"
    " marshal math mcp mcp_types mcpgen mcpgen_runtime mimetypes mmap numbers operator os"
    " pathlib pdb pickle pkgutil platform plistlib poplib posix pprint profile pydantic"
    " pydantic_core queue random re readline referencing resource runpy sched secrets select"
    " selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat"
    " statistics string struct subprocess symtable sys sysconfig syslog tarfile tempfile test"
    " textwrap threading time timeit token tokenize trace traceback types typing unicodedata"
    " unittest urllib uuid venv warnings wave weakref webbrowser xml zipfile zipimport zlib"
    " zoneinfo".split()
)
