"""
Prompts: Jinja files that people edit, rendered strictly and in a sandbox.

`<workspace>/prompts/<name>.md.j2` wins over the packaged file. An override that cannot be rendered is an
error; the packaged prompt never stands in for it.
"""

from daybook.prompts.declared import PromptInfo, Variable
from daybook.prompts.rendering import Rendered, names, render, show

__all__ = ["PromptInfo", "Rendered", "Variable", "names", "render", "show"]
