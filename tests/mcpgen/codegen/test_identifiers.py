"""Words of names become identifiers."""

from __future__ import annotations

import pytest

from mcpgen.codegen import identifiers, naming


@pytest.mark.parametrize(
    ("wire", "snake", "pascal"),
    [
        ("deduplicateSimilarURLs", "deduplicate_similar_urls", "DeduplicateSimilarURLs"),
        ("similarURLs", "similar_urls", "SimilarURLs"),
        ("userIDs", "user_ids", "UserIDs"),
        ("userIds", "user_ids", "UserIds"),
        ("PDFs", "pdfs", "PDFs"),
        ("PDFsToMerge", "pdfs_to_merge", "PDFsToMerge"),
        ("mergePDFs2", "merge_pdfs_2", "MergePDFs2"),
        ("list_IDs_of", "list_ids_of", "ListIDsOf"),
        ("vCPUs", "v_cpus", "VCPUs"),
        ("IPv6Address", "ipv6_address", "IPv6Address"),
        ("getAPIv2Users", "get_apiv2_users", "GetAPIv2Users"),
        # Unchanged from earlier releases.
        ("getURL", "get_url", "GetURL"),
        ("HTTPServer", "http_server", "HTTPServer"),
        ("parseHTTPResponse", "parse_http_response", "ParseHTTPResponse"),
        ("ASsert", "a_ssert", "ASsert"),
        ("GitHubIssue", "git_hub_issue", "GitHubIssue"),
        ("S3Bucket", "s3_bucket", "S3Bucket"),
        ("HTTP2Server", "http2_server", "HTTP2Server"),
        ("isAs", "is_as", "IsAs"),
        ("get-user_v2", "get_user_v2", "GetUserV2"),
    ],
)
def test_abbreviations_are_words(wire: str, snake: str, pascal: str) -> None:
    assert identifiers.snake(wire, "x") == snake
    assert identifiers.pascal(wire) == pascal


def test_a_plural_and_its_plain_spelling_are_told_apart() -> None:
    names = naming.methods(["listURLs", "list_urls", "listUrls"])
    assert names["list_urls"] == "list_urls"
    assert len(set(names.values())) == 3
