// Writes the types that Cloudflare's code mode shows to a model, and the names that it has for tools.
// node agents_codemode.mjs FOLDER < tools.json: FOLDER has node_modules/@cloudflare/codemode.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const dist = join(process.argv[2], "node_modules/@cloudflare/codemode/dist");
const file = readdirSync(dist).find((name) => /^json-schema-types-.*\.js$/.test(name));
const parts = Object.values(await import(pathToFileURL(join(dist, file)).href));
const named = (name) => parts.find((part) => part.name === name);
const tools = JSON.parse(readFileSync(0, "utf8"));
const types = named("generateTypesFromJsonSchema")(tools);
const names = Object.keys(tools).map((name) => [name, named("sanitizeToolName")(name)]);
process.stdout.write(JSON.stringify({ types, names: Object.fromEntries(names) }));
