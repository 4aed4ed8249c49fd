"""Regular expressions of ECMA-262 in bounded time; copied into packages as well."""
