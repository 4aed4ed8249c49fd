"""Counts the seeded bugs that `mcpgen test` finds: fifty in each of nine servers, five per kind.

The bugs were written by someone who had not read `mcpgen/testing/`. One half of
the bugs in transit and garden was used during development, the other half only at the end. The bugs
in the other servers were written later, each server for another measurement.
Found means exit code 1 and an error that names the tool of the bug.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import timing

HERE = Path(__file__).parent / "seeded"
KINDS = {
    "o": "output breaks its schema",
    "f": "forbidden but accepted",
    "a": "allowed but refused",
    "c": "crash",
    "h": "hang",
    "l": "leak",
    "p": "protocol",
    "n": "annotations",
    "s": "state and concurrency",
    "g": "pages and growth",
}
BUGS: dict[str, dict[str, str]] = {
    "transit": {
        "o_search": "search_stops",
        "o_fare": "fare",
        "o_via": "plan_trip",
        "o_notes": "update_line",
        "o_tree": "stop_tree",
        "f_unique": "add_line",
        "f_boolean": "list_lines",
        "f_nested": "plan_trip",
        "f_pattern_end": "get_line",
        "f_count": "fare",
        "a_notes_empty": "update_line",
        "a_unicode": "add_line",
        "a_limit_max": "search_stops",
        "a_discount": "fare",
        "a_tags_empty": "add_line",
        "c_quote": "search_stops",
        "c_percent": "sell_ticket",
        "c_deep": "count_lines",
        "c_depart": "plan_trip",
        "c_astral": "add_line",
        "h_bracket": "search_stops",
        "h_offset": "list_tickets",
        "h_changes": "plan_trip",
        "h_repeat": "search_stops",
        "h_void": "void_ticket",
        "l_trace": "get_line update_line",
        "l_path": "remove_line",
        "l_sql": "search_stops",
        "l_env": "fare",
        "l_conn": "get_ticket void_ticket",
        "p_id": "",
        "p_twice": "get_ticket",
        "p_base64": "draw_line",
        "p_mime": "draw_line",
        "p_code": "",
        "n_search": "search_stops",
        "n_fare": "fare",
        "n_idempotent": "update_line",
        "n_destroys": "update_line",
        "n_sort": "list_lines",
        "s_other": "update_line",
        "s_removed": "remove_line",
        "s_race": "sell_ticket",
        "s_cross": "search_stops",
        "s_falsy": "update_line",
        "g_gap": "list_lines",
        "g_filter": "list_lines",
        "g_last": "list_lines",
        "g_memory": "get_line",
        "g_slow": "search_stops",
    },
    "garden": {
        "o_soil": "show_bed",
        "o_gone": "clear_bed",
        "o_companions": "show_plant",
        "o_pages": "list_plants",
        "o_left": "preview_seeds",
        "f_one_of": "create_bed",
        "f_names": "create_bed",
        "f_extra": "create_bed",
        "f_exclusive": "water",
        "f_unique": "add_plant",
        "a_space": "create_bed",
        "a_sunny": "create_bed",
        "a_negative": "create_bed",
        "a_height": "add_plant",
        "a_dill": "preview_seeds",
        "c_quotes": "create_bed",
        "c_comment": "add_plant",
        "c_paren": "find_plants",
        "c_pair": "find_plants",
        "c_not": "check_rule",
        "h_page": "list_plants",
        "h_star": "find_plants",
        "h_long": "find_plants",
        "h_amount": "preview_seeds",
        "h_rule": "check_rule",
        "l_env": "show_plant water pull_plant",
        "l_sql": "find_plants",
        "l_windows": "water",
        "l_trace": "pull_plant",
        "l_stderr": "",
        "p_audio": "play_bird",
        "p_blob": "print_plan",
        "p_prompt": "advise",
        "p_success": "show_bed",
        "p_unstructured": "list_plants",
        "n_list": "list_beds",
        "n_again": "change_bed",
        "n_show": "show_plant",
        "n_preview": "preview_seeds",
        "n_water": "water",
        "s_cleared": "clear_bed",
        "s_list_new": "list_beds create_bed",
        "s_false": "change_bed",
        "s_lost": "add_plant",
        "s_mixed": "find_plants",
        "g_height": "list_plants",
        "g_overlap": "list_plants",
        "g_result": "show_plant",
        "g_memory": "watering_log",
        "g_slow": "settings",
    },
    "observatory": {
        "o_magnitude": "show_target",
        "o_empty": "list_targets",
        "o_status": "book_slot",
        "o_pair": "exposure_time",
        "o_depth": "evaluate",
        "f_night": "book_slot",
        "f_half_seconds": "exposure_time",
        "f_nothing": "edit_target",
        "f_alone": "create_target",
        "f_tags": "create_target",
        "a_zero": "create_target",
        "a_null": "edit_target",
        "a_one_hour": "book_slot",
        "a_longest": "match_catalog",
        "a_filter": "exposure_time",
        "c_brace": "create_target",
        "c_emoji": "edit_target",
        "c_nul": "match_catalog",
        "c_no_frames": "exposure_time",
        "c_prompt": "plan_night",
        "h_cursor": "list_targets",
        "h_backslash": "match_catalog",
        "h_empty": "match_catalog",
        "h_frames": "exposure_time",
        "h_cancel": "cancel_slot",
        "l_env": "show_target edit_target delete_target book_slot render_chart",
        "l_dsn": "cancel_slot",
        "l_log": "",
        "l_result": "match_catalog",
        "l_stderr": "",
        "p_code": "",
        "p_error_id": "",
        "p_base64": "render_chart",
        "p_success": "delete_target",
        "p_resource": "",
        "n_show": "show_target",
        "n_list": "list_targets",
        "n_weather": "weather_log",
        "n_edit": "edit_target",
        "n_book": "book_slot",
        "s_stale": "list_targets create_target edit_target",
        "s_deleted": "delete_target",
        "s_falsy": "edit_target",
        "s_race": "book_slot",
        "s_mixed": "match_catalog",
        "g_repeat": "list_targets",
        "g_order": "list_targets",
        "g_largest": "list_bookings",
        "g_grow": "show_target",
        "g_slow": "weather_log",
    },
    "depot": {
        "o_contacts": "update_customer",
        "o_offset": "list_parcels",
        "o_event": "scan_parcel",
        "o_quote": "quote",
        "o_stats": "depot_stats",
        "f_size": "create_parcel",
        "f_currency": "create_parcel",
        "f_zone": "quote",
        "f_contacts": "register_customer",
        "f_discount": "register_customer",
        "a_city": "register_customer",
        "a_contacts": "update_customer",
        "a_insurance": "create_parcel",
        "a_both": "create_parcel",
        "a_limit": "list_parcels",
        "c_empty": "search_customers",
        "c_lines": "create_parcel",
        "c_weight": "quote",
        "c_depth": "pack",
        "c_prompt": "complaint",
        "h_quote": "search_customers",
        "h_offset": "list_parcels",
        "h_track": "track_parcel",
        "h_pair": "quote",
        "h_nested": "pack",
        "l_env": "get_customer update_customer delete_customer create_parcel",
        "l_url": "cancel_parcel",
        "l_log": "list_parcels",
        "l_trace": "get_parcel",
        "l_path": "parcel_label",
        "p_id": "",
        "p_mime": "logo",
        "p_blob": "logo",
        "p_unstructured": "get_parcel",
        "p_role": "complaint",
        "n_search": "search_customers",
        "n_update": "update_customer",
        "n_track": "track_parcel",
        "n_quote": "quote",
        "n_cancel": "cancel_parcel",
        "s_list": "list_parcels create_parcel",
        "s_deleted": "delete_customer",
        "s_null": "update_customer",
        "s_race": "scan_parcel",
        "s_other": "update_customer",
        "g_cursor": "list_customers",
        "g_gap": "list_parcels",
        "g_sort": "list_parcels",
        "g_memory": "track_parcel",
        "g_grow": "depot_stats",
    },
    "newsroom": {
        "o_pages": "listAuthors",
        "o_score": "searchArticles",
        "o_tree": "sectionTree",
        "o_parent": "addComment",
        "o_date": "editArticle",
        "f_tags": "createArticle",
        "f_media": "createArticle",
        "f_priority": "editArticle",
        "f_date": "createArticle",
        "f_filter": "countMatches",
        "a_title": "createArticle",
        "a_bio": "updateAuthor",
        "a_priority": "createArticle",
        "a_depth": "sectionTree",
        "a_style": "formatHeadline",
        "c_format": "formatHeadline",
        "c_query": "searchArticles",
        "c_parent": "addComment",
        "c_deep": "countMatches",
        "c_empty": "countText",
        "h_words": "countText",
        "h_query": "searchArticles",
        "h_cursor": "listArticles",
        "h_page": "listAuthors",
        "h_status": "setStatus",
        "l_token": "getArticle",
        "l_env": "removeAuthor",
        "l_stderr": "exportArticle",
        "l_trace": "addComment",
        "l_log": "setStatus",
        "p_content": "removeAuthor",
        "p_failed": "deleteArticle",
        "p_text": "listComments",
        "p_blob": "masthead",
        "p_code": "",
        "n_view": "getArticle",
        "n_edit": "editArticle",
        "n_status": "setStatus",
        "n_export": "exportArticle",
        "n_author": "updateAuthor",
        "s_falsy": "updateAuthor",
        "s_partial": "editArticle",
        "s_search": "deleteArticle searchArticles",
        "s_race": "addComment",
        "s_mix": "formatHeadline",
        "g_last": "listAuthors",
        "g_repeat": "listComments",
        "g_filter": "listArticles",
        "g_slow": "sectionTree",
        "g_grow": "newsroomReport",
    },
    "kitchen": {
        "o_source": "change_recipe",
        "o_unit": "scale_recipe",
        "o_kcal": "nutrition",
        "o_last": "list_recipes",
        "o_average": "list_ratings",
        "f_unit": "add_recipe",
        "f_amount": "stock_product",
        "f_stars": "rate_recipe",
        "f_last": "list_plan",
        "f_menu": "count_menu",
        "a_minutes": "add_recipe",
        "a_title": "change_recipe",
        "a_tags": "find_recipes",
        "a_guests": "plan_meal",
        "a_comment": "rate_recipe",
        "c_regex": "find_recipes",
        "c_amount": "convert_weight",
        "c_range": "list_plan",
        "c_deleted": "shopping_list",
        "c_card": "recipe_card",
        "h_blank": "find_recipes",
        "h_same": "convert_weight",
        "h_page": "list_plan",
        "h_scale": "scale_recipe",
        "h_use": "use_product",
        "l_config": "get_recipe",
        "l_dsn": "stock_product",
        "l_key": "use_product",
        "l_stderr": "",
        "l_meta": "recipe_card",
        "p_flag": "list_recipes",
        "p_image": "recipe_card",
        "p_prompt": "suggest",
        "p_contents": "",
        "p_progress": "",
        "n_scale": "scale_recipe",
        "n_nutrition": "nutrition",
        "n_stock": "stock_product",
        "n_cancel": "cancel_meal",
        "n_rate": "rate_recipe",
        "s_favorite": "change_recipe",
        "s_tags": "change_recipe",
        "s_index": "add_recipe find_recipes",
        "s_cancel": "cancel_meal list_plan",
        "s_race": "use_product",
        "g_cursor": "list_recipes",
        "g_filter": "list_recipes",
        "g_single": "list_plan",
        "g_memory": "list_ratings",
        "g_slow": "show_pantry",
    },
    "workshop": {
        "o_phone": "customer_update",
        "o_due": "job_open",
        "o_total": "job_estimate",
        "o_slots": "slot_find",
        "o_average": "workshop_report",
        "f_frame": "bike_register",
        "f_tasks": "job_open",
        "f_equipment": "bike_register",
        "f_cadence": "gear_ratio",
        "f_where": "job_count",
        "a_name": "customer_create",
        "a_year": "bike_register",
        "a_priority": "job_open",
        "a_quantity": "part_restock",
        "a_query": "customer_search",
        "c_notes": "customer_update",
        "c_tasks": "job_estimate",
        "c_equal": "gear_ratio",
        "c_offset": "job_list",
        "c_label": "bike_label",
        "h_query": "customer_search",
        "h_cursor": "part_list",
        "h_status": "job_set_status",
        "h_slot": "slot_find",
        "h_delete": "customer_delete",
        "l_env": "job_get job_set_status job_add_part",
        "l_dsn": "customer_search",
        "l_log": "bike_register",
        "l_label": "bike_label",
        "l_stderr": "",
        "p_structured": "part_list",
        "p_link": "bike_label",
        "p_template": "",
        "p_prompt": "remind",
        "p_failed": "job_add_part",
        "n_get": "job_get",
        "n_estimate": "job_estimate",
        "n_status": "job_set_status",
        "n_register": "bike_register",
        "n_open": "job_open",
        "s_null": "customer_update",
        "s_search": "customer_delete customer_search",
        "s_race": "job_add_part",
        "s_other": "job_set_status",
        "s_default": "customer_update",
        "g_offset": "job_list",
        "g_last": "part_list",
        "g_sort": "job_list",
        "g_memory": "workshop_report",
        "g_slow": "bike_list",
    },
    "campsite": {
        "o_vehicle": "register-guest",
        "o_token": "list-pitches",
        "o_cancel": "cancel-stay",
        "o_quote": "quote-price",
        "o_occupancy": "occupancy",
        "f_plate": "register-guest",
        "f_nights": "book-stay",
        "f_party": "book-stay",
        "f_extras": "book-stay",
        "f_voucher": "quote-price",
        "a_name": "register-guest",
        "a_children": "book-stay",
        "a_remarks": "update-pitch",
        "a_take": "list-stays",
        "a_email": "edit-guest",
        "c_text": "find-guests",
        "c_month": "free-pitches",
        "c_quote": "quote-price",
        "c_rule": "count-stays",
        "c_welcome": "welcome",
        "h_text": "find-guests",
        "h_token": "list-pitches",
        "h_skip": "list-stays",
        "h_quote": "quote-price",
        "h_check_in": "check-in",
        "l_env": "get-guest edit-guest forget-guest book-stay",
        "l_dsn": "add-charge",
        "l_log": "check-in",
        "l_trace": "occupancy",
        "l_meta": "show-bill",
        "p_id": "",
        "p_code": "show-bill",
        "p_empty": "free-pitches",
        "p_required": "",
        "p_blob": "",
        "n_get": "get-stay",
        "n_list": "list-stays",
        "n_update": "update-pitch",
        "n_charge": "add-charge",
        "n_free": "free-pitches",
        "s_falsy": "edit-guest",
        "s_forget": "forget-guest find-guests",
        "s_race": "book-stay",
        "s_other": "check-in",
        "s_mix": "find-guests",
        "g_kind": "list-pitches",
        "g_skip": "list-stays",
        "g_order": "find-guests",
        "g_memory": "occupancy",
        "g_slow": "get-guest",
    },
    "museum": {
        "o_total": "list_objects",
        "o_year": "revise_object",
        "o_late": "return_loan",
        "o_worst": "condition_history",
        "o_extras": "quote_insurance",
        "f_size": "acquire_object",
        "f_materials": "acquire_object",
        "f_grade": "report_condition",
        "f_period": "quote_insurance",
        "f_country": "lend_object",
        "a_title": "acquire_object",
        "a_materials": "acquire_object",
        "a_maker": "revise_object",
        "a_limit": "list_exhibitions",
        "a_value": "lend_object",
        "c_query": "search_collection",
        "c_value": "quote_insurance",
        "c_filter": "count_objects",
        "c_label": "print_label",
        "c_tour": "tour",
        "h_query": "search_collection",
        "h_room": "place_object",
        "h_return": "return_loan",
        "h_page": "list_loans",
        "h_crates": "quote_insurance",
        "l_env": "get_exhibition add_to_exhibition",
        "l_dsn": "search_collection",
        "l_log": "deaccession_object",
        "l_trace": "create_exhibition",
        "l_uri": "print_label",
        "p_id": "",
        "p_mime": "print_label",
        "p_code": "",
        "p_failed": "return_loan",
        "p_type": "list_rooms",
        "n_search": "search_collection",
        "n_count": "count_objects",
        "n_place": "place_object",
        "n_report": "report_condition",
        "n_add": "add_to_exhibition",
        "s_falsy": "revise_object",
        "s_owners": "revise_object",
        "s_gone": "deaccession_object search_collection",
        "s_race": "add_to_exhibition",
        "s_client": "quote_insurance",
        "g_last": "list_objects",
        "g_filter": "list_loans",
        "g_offset": "list_exhibitions",
        "g_memory": "condition_history",
        "g_slow": "list_rooms",
    },
}
HALVES = ("seen", "unseen", "fresh", "last", "fifth", "sixth", "seventh", "eighth", "ninth")
LATER = {
    "observatory": "fresh",
    "depot": "last",
    "newsroom": "fifth",
    "kitchen": "sixth",
    "workshop": "seventh",
    "campsite": "eighth",
    "museum": "ninth",
}


def half_of(server: str, bug: str) -> str:
    """Return the time of a bug's use: during development, at the end, or later."""
    if server in LATER:
        return LATER[server]
    of_kind = [text for text in BUGS[server] if text[0] == bug[0]]
    return HALVES[(of_kind.index(bug) % 2 == 0) != (server == "transit")]


def tested(server: str, bug: str, options: list[str]) -> tuple[int, list[dict[str, Any]], float]:
    """Run `mcpgen test` against a server with a bug. Returns exit code, failures and seconds."""
    script = str(HERE / f"{server}.py")
    args = ["test", "--allow-writes", "--json", "--calls", "3000", "--seconds", "60"]
    args += [
        "--limit",
        "3",
        *options,
        "--env",
        f"SEEDED_BUG={bug}",
        "--env",
        f"{server.upper()}_SECRET=g4rden-S3cret-value",
        "--",
        sys.executable,
        script,
    ]
    start = time.monotonic()
    completed = subprocess.run(
        [str(Path(sys.executable).with_name("mcpgen")), *args],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        document = json.loads(completed.stdout)
    except ValueError:
        return completed.returncode, [{"level": "no report", "title": completed.stderr[-500:]}], 0.0
    return completed.returncode, document["failures"], time.monotonic() - start


def is_found(code: int, failures: list[dict[str, Any]], tools: str, false: set[str]) -> bool:
    """Return True if an error names one of the tools. "" stands for an error without a tool.

    `false` has the fingerprints of errors that the correct server has, too.
    """
    errors = [failure for failure in failures if failure["level"] == "error"]
    errors = [failure for failure in errors if failure["fingerprint"] not in false]
    named = not tools or any(tool in json.dumps(errors) for tool in tools.split())
    return code == 1 and bool(errors) and named


def main() -> None:
    """Print the numbers of found bugs, by kind and half."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=[*HALVES, "all"], default="seen")
    parser.add_argument("--bug", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    cases = [(server, "none", "?") for server in BUGS]
    cases += [
        (server, bug, tools)
        for server, bugs in BUGS.items()
        for bug, tools in bugs.items()
        if options.half in ("all", half_of(server, bug))
    ]
    if options.bug:
        cases = [case for case in cases if f"{case[0]}/{case[1]}" in options.bug]
    result: dict[tuple[str, str], list[bool]] = defaultdict(list)
    false: set[str] = set()
    with ThreadPoolExecutor(options.jobs) as threads:
        results = threads.map(lambda case: tested(case[0], case[1], []), cases)
        for (server, bug, tools), (code, failures, seconds) in zip(cases, results, strict=True):
            if bug == "none":
                false |= {failure.get("fingerprint", "") for failure in failures}
            good = is_found(code, failures, tools, false)
            errors = [failure for failure in failures if failure["level"] != "note"]
            marks = sorted({f"{error.get('judge')}:{error['level']}" for error in errors})
            state = "correct server" if bug == "none" else "found" if good else "MISSED"
            print(f"{server}/{bug}: {state}, exit {code}, {seconds:.0f} s {marks}", flush=True)
            if options.verbose:
                print(json.dumps(failures, indent=1)[:6000])
            if bug != "none":
                result[bug[0], half_of(server, bug)].append(good)
    rows: list[timing.Row] = []
    for kind, title in KINDS.items():
        cells = {}
        for half in HALVES:
            hits = result.get((kind, half), [])
            cells[half] = f"{sum(hits)} of {len(hits)}"
        rows.append({"kind": title, **cells})
    for half in HALVES:
        hits = [hit for key, item in result.items() if key[1] == half for hit in item]
        print(f"{half}: {sum(hits)} of {len(hits)}")
    print(timing.table(rows))


if __name__ == "__main__":
    main()
