"""Calls a tool or renders a prompt: parses and validates arguments, then sends the request."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen_runtime.shell.arguments import ParsedArguments
from mcpgen_runtime.shell.options import Options, WordsError, dash_name, find_name

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import FindingError, UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.recording.follow_up import FollowUpRequest, RequestPlan
from mcpgen.servers.recording.raw_responses import Answers
from mcpgen.servers.shell import checks
from mcpgen.servers.shell.exchange import call_tool, checked_result, listed_definitions, send_one
from mcpgen.servers.shell.user import Terminal

_TOOLS, _PROMPTS = LISTINGS[:2]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of definition with arguments: its noun, list and method."""

    noun: str
    listing: Listing
    method: str


TOOL = Kind("tool", _TOOLS, "tools/call")
PROMPT = Kind("prompt", _PROMPTS, "prompts/get")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The parts of a command line: the name, the arguments after it, and the command.

    ``is_own`` returns whether an option belongs to the command and needs a value. ``settle``
    handles the command's own options, and returns whether a request is needed.
    """

    name: str
    args: Sequence[str]
    command: str
    is_own: Callable[[str], bool | None]
    settle: Callable[[list[str]], bool]
    read_stdin: Callable[[], str]


@dataclass(slots=True)
class Call:
    """A call, with its outcome.

    ``asks`` means that the user confirms it. ``is_checked`` means that arguments that the schema
    forbids are not sent.
    """

    kind: Kind
    command_line: CommandLine
    person: Terminal | None = None
    asks: Callable[[Mapping[str, Json]], bool] = lambda _: False
    is_checked: bool = True
    definition: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    is_wanted: bool = False
    arguments: dict[str, Json] = field(default_factory=dict[str, "Json"])
    result: dict[str, Json] = field(default_factory=dict[str, "Json"])

    def wish(self) -> RequestPlan:
        """Return the requests to send."""
        return RequestPlan(frozenset({self.kind.listing.capability}), self._further, self.person)

    def prepare(self, contract: Contract) -> None:
        """Parse the arguments, and validate them by a contract."""
        self._prepare(contract.lists()[self.kind.listing.member])

    def schema(self) -> Json:
        """Return the schema of the arguments. The arguments of a prompt are strings."""
        definition = self.definition
        return definition.get("inputSchema") if self.kind is TOOL else prompt_schema(definition)

    def _prepare(self, definitions: Mapping[str, Mapping[str, Json]]) -> None:
        command_line = self.command_line
        try:
            name = find_name(command_line.name, definitions, self.kind.noun)
            self.definition = definitions[name]
            typed = ParsedArguments(Options.from_schema(name, self.schema()), command_line.is_own)
            if self._is_help(typed.options):
                command_line.settle(["--help"])
                return
            typed.read(command_line.args)
            self.is_wanted = command_line.settle(typed.passed_on)
            self.arguments = typed.arguments
            if typed.is_from_stdin:
                self.arguments = typed.with_base(command_line.read_stdin())
        except WordsError as error:
            raise UsageError(error.problem, hint=error.hint) from None
        if self.is_checked and (
            problems := checks.problems(self.schema(), self.arguments, typed.options.place)
        ):
            problem = "\n  ".join([f"{name}: invalid arguments, nothing was sent", *problems])
            raise UsageError(problem, hint=f"see: {command_line.command} {dash_name(name)} --help")

    def _is_help(self, options: Options) -> bool:
        """Return True for `-h`, or for `--help` unless the tool has a `help` argument."""
        arguments_left = self.command_line.args
        return "-h" in arguments_left or (
            "--help" in arguments_left and "help" not in options.by_name
        )

    def _further(self, answers: Answers) -> Generator[FollowUpRequest, Json, None]:
        if not self.definition:
            self._prepare(listed_definitions(answers, self.kind.listing))
        if not self.is_wanted:
            return
        name = self.definition["name"]
        is_due = self.asks(self.definition)
        if is_due and self.person is None:
            raise FindingError(
                "the tool may be destructive, and there is no terminal to confirm the call",
                str(self.definition["name"]),
                "--yes calls it without confirmation",
            )
        person = self.person if is_due else None
        if person and not person.confirms(self.definition, self.arguments):
            raise FindingError("the call was not confirmed, nothing was sent", name)
        self.result = yield from checked_result(self._exchange(answers), self.kind.method, name)

    def _exchange(self, answers: Answers) -> Generator[FollowUpRequest, Json, Json]:
        if self.kind is TOOL:
            return (yield from call_tool(self.definition, self.arguments, answers.revision))
        params: dict[str, Json] = {"name": self.definition["name"], "arguments": self.arguments}
        return (yield from send_one(FollowUpRequest(self.kind.method, params)))


def prompt_schema(definition: Mapping[str, Json]) -> Json:
    """Return a schema for the arguments of a prompt, which are strings."""
    listed = definition.get("arguments")
    named = [value for value in (listed if is_array(listed) else []) if is_object(value)]
    by_name = {item["name"]: item for item in named if isinstance(item.get("name"), str)}
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": _text(item.get("description"))}
            for name, item in by_name.items()
        },
        "required": [name for name, item in by_name.items() if item.get("required") is True],
        "additionalProperties": False,
    }


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
