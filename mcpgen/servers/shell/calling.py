"""One call of a tool, or one prompt: its arguments are read and checked, then it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen_runtime.shell.arguments import Typed
from mcpgen_runtime.shell.options import Options, WordsError, dash_name, find_name

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import FindingError, UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.recording.further import Ask, Wish
from mcpgen.servers.recording.raw_answers import Answers
from mcpgen.servers.shell import checks
from mcpgen.servers.shell.exchange import answered, asked, called, listed
from mcpgen.servers.shell.person import Terminal

_TOOLS, _PROMPTS = LISTINGS[:2]


@dataclass(frozen=True, slots=True)
class Kind:
    """What has a name and arguments: how it is called, listed and asked for."""

    noun: str
    listing: Listing
    method: str


TOOL = Kind("tool", _TOOLS, "tools/call")
PROMPT = Kind("prompt", _PROMPTS, "prompts/get")


@dataclass(frozen=True, slots=True)
class Given:
    """The words of a command line: the name, what stands behind it, and the command itself.

    ``is_own`` says of an option whether the command has it, and needs a value for it. ``settle``
    takes those that are the command's own, and says whether anything is to be asked for.
    """

    name: str
    words: Sequence[str]
    command: str
    is_own: Callable[[str], bool | None]
    settle: Callable[[list[str]], bool]
    read_stdin: Callable[[], str]


@dataclass(slots=True)
class Call:
    """What is asked for; what becomes of it is found on the way.

    ``asks`` says whether the person is to confirm it, ``is_checked`` whether arguments that the
    schema forbids are kept back.
    """

    kind: Kind
    given: Given
    person: Terminal | None = None
    asks: Callable[[Mapping[str, Json]], bool] = lambda _: False
    is_checked: bool = True
    definition: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    is_wanted: bool = False
    arguments: dict[str, Json] = field(default_factory=dict[str, "Json"])
    result: dict[str, Json] = field(default_factory=dict[str, "Json"])

    def wish(self) -> Wish:
        """Return what is asked of a server."""
        return Wish(frozenset({self.kind.listing.capability}), self._further, self.person)

    def prepare(self, contract: Contract) -> None:
        """Read and check the arguments by a contract."""
        self._prepare(contract.lists()[self.kind.listing.member])

    def schema(self) -> Json:
        """Return the schema of the arguments; those of a prompt are texts."""
        definition = self.definition
        return definition.get("inputSchema") if self.kind is TOOL else prompt_schema(definition)

    def _prepare(self, known: Mapping[str, Mapping[str, Json]]) -> None:
        given = self.given
        try:
            name = find_name(given.name, known, self.kind.noun)
            self.definition = known[name]
            typed = Typed(Options.from_schema(name, self.schema()), given.is_own)
            if self._is_help(typed.options):
                given.settle(["--help"])
                return
            typed.read(given.words)
            self.is_wanted = given.settle(typed.passed_on)
            self.arguments = typed.arguments
            if typed.is_from_stdin:
                self.arguments = typed.with_base(given.read_stdin())
        except WordsError as error:
            raise UsageError(error.problem, hint=error.hint) from None
        if self.is_checked and (
            found := checks.problems(self.schema(), self.arguments, typed.options.place)
        ):
            problem = "\n  ".join([f"{name}: invalid arguments, nothing was sent", *found])
            raise UsageError(problem, hint=f"see: {given.command} {dash_name(name)} --help")

    def _is_help(self, options: Options) -> bool:
        """Say whether help is asked for; a tool may have an argument of that name."""
        words = self.given.words
        return "-h" in words or ("--help" in words and "help" not in options.by_name)

    def _further(self, answers: Answers) -> Generator[Ask, Json, None]:
        if not self.definition:
            self._prepare(listed(answers, self.kind.listing))
        if not self.is_wanted:
            return
        name = self.definition["name"]
        is_due = self.asks(self.definition)
        if is_due and self.person is None:
            raise FindingError(
                "the tool may destroy something, and nobody can be asked here",
                str(self.definition["name"]),
                "--yes calls it without asking",
            )
        person = self.person if is_due else None
        if person and not person.confirms(self.definition, self.arguments):
            raise FindingError("the call was not confirmed, nothing was sent", name)
        self.result = yield from answered(self._exchange(answers), self.kind.method, name)

    def _exchange(self, answers: Answers) -> Generator[Ask, Json, Json]:
        if self.kind is TOOL:
            return (yield from called(self.definition, self.arguments, answers.revision))
        params: dict[str, Json] = {"name": self.definition["name"], "arguments": self.arguments}
        return (yield from asked(Ask(self.kind.method, params)))


def prompt_schema(definition: Mapping[str, Json]) -> Json:
    """Return a schema of the arguments of a prompt, which are texts."""
    listed = definition.get("arguments")
    named = [each for each in (listed if is_array(listed) else []) if is_object(each)]
    known = {each["name"]: each for each in named if isinstance(each.get("name"), str)}
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": _text(each.get("description"))}
            for name, each in known.items()
        },
        "required": [name for name, each in known.items() if each.get("required") is True],
        "additionalProperties": False,
    }


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
