"""Clients that are made of contracts by a build, and a test of those that are kept in git."""

load("@rules_python//python:defs.bzl", "py_library")

def _mcp_client_files_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.attr.package)
    ctx.actions.run(
        executable = ctx.executable._mcpgen,
        arguments = [
            "client",
            ctx.file.contract.path,
            "--output=" + folder.dirname,
            "--name=" + ctx.attr.package,
            "--style=" + ctx.attr.style,
            "--no-cache",
            "--quiet",
        ],
        inputs = [ctx.file.contract],
        outputs = [folder],
        mnemonic = "McpClient",
        progress_message = "Generating the MCP client %{label}",
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles([folder]))]

_mcp_client_files = rule(
    implementation = _mcp_client_files_impl,
    attrs = {
        "contract": attr.label(allow_single_file = [".json", ".yaml"], mandatory = True),
        "package": attr.string(mandatory = True),
        "style": attr.string(default = "dataclass"),
        "_mcpgen": attr.label(default = "//:mcpgen", executable = True, cfg = "exec"),
    },
)

def mcp_client(name, contract, package, deps, style = "dataclass", **kwargs):
    """Makes a package of a contract, as a library; `deps` are `mcpgen-runtime`, `mcp` and `pydantic`."""
    _mcp_client_files(
        name = name + ".files",
        contract = contract,
        package = package,
        style = style,
    )
    py_library(name = name, data = [name + ".files"], imports = ["."], deps = deps, **kwargs)

def mcp_check_test(name, project, shard_count = 1, **kwargs):
    """Holds what is in git to its contracts; `project` has the table, contracts and packages."""
    native.sh_test(
        name = name,
        srcs = ["check.sh"],
        args = ["$(rootpath //:mcpgen)", native.package_name() or "."],
        data = ["//:mcpgen"] + project,
        shard_count = shard_count,
        **kwargs
    )
