"""A FastMCP server over Streamable HTTP on the given port."""

from __future__ import annotations

import sys
from typing import Literal

from fastmcp import FastMCP
from pydantic import BaseModel

mcp = FastMCP("weather")


class Wind(BaseModel):
    speed: float
    direction: Literal["north", "east", "south", "west"]


class Forecast(BaseModel):
    city: str
    degrees: int
    wind: Wind | None = None


@mcp.tool
def forecast(city: str) -> Forecast:
    """Forecast tomorrow's weather."""
    return Forecast(city=city, degrees=21, wind=Wind(speed=3.5, direction="west"))


@mcp.tool
def forecasts(cities: list[str]) -> list[Forecast]:
    """Forecast tomorrow's weather in several cities."""
    return [Forecast(city=city, degrees=len(city)) for city in cities]


@mcp.tool
def mean(values: list[float]) -> float:
    """Return the mean of some temperatures."""
    return sum(values) / len(values)


if __name__ == "__main__":
    mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
