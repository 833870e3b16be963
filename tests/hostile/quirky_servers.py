"""Servers as they are: how those that people use refuse, complain, and answer in ways of their own.

The layouts are those of each server's documentation and of what its users report; the words are shortened.
"""

# ruff: noqa: E501 (one behaviour a line)

from collections import Counter
from collections.abc import Callable
from typing import Any

from behaviours import Answer, Behaviour, Say, always, chat, error, last_text, message, of_item, refusing, reply

__all__ = ["QUIRKY"]


def _item(name: str, answer: Answer, kind: str, shows: bool = False) -> Behaviour:
    """One item is refused, and is a missing answer."""
    return Behaviour(name, of_item(answer), scored=f"Refused, and scored as missing answers: {kind} 1.", shows=shows)


def _without(name: str, complaint: Answer, refuses: Callable[[Any], bool], note: str) -> Behaviour:
    """A parameter is refused, and left away once for all."""
    return Behaviour(name, refusing(complaint, refuses), scored=note)


def _fatal(name: str, answer: Answer, hint: str, **more: Any) -> Behaviour:
    """Every request is refused, and the message names what helps."""
    return Behaviour(name, always(answer), explained=hint, **more)


def _no_pictures(name: str, answer: Answer) -> Behaviour:
    """The model answers, but takes no pictures."""
    shown = refusing(answer, lambda body: "image_url" in str(body["messages"]))
    return Behaviour(name, shown, explained="it takes no pictures: show it words or nothing (`show`)", shows=True)


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda body: any(name in body for name in names)


def _has_system(body: Any) -> bool:
    return any(each["role"] == "system" for each in body["messages"])


def _sighted(answer: Answer) -> Say:
    """Answers differently to the two pictures of the sight check; `answer` to the item's."""

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer(b'{"data": []}')
        text = last_text(body)
        return answer if "nr 7?" in text else chat(f"yes, {hash(str(body['messages'])) % 10**6}")

    return say


def _pictured(name: str, answer: Answer, kind: str) -> Behaviour:
    """One picture is refused."""
    return Behaviour(name, _sighted(answer), scored=f"Refused, and scored as missing answers: {kind} 1.", shows=True)


def _loading(answer: Answer, times: int = 3) -> Say:
    """Not there yet, then there; each server of this behaviour begins anew."""
    counts: Counter[str] = Counter()

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        good = Answer(b'{"data": []}') if body is None else chat("yes")
        counts[headers.get("host", "")] += 1
        return answer if counts[headers.get("host", "")] <= times else good

    return say


_OPENAI = (
    _without(
        "OpenAI: max_tokens for a model that thinks",
        error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        ),
        _has("max_tokens"),
        "max_completion_tokens in place of max_tokens",
    ),
    _without(
        "OpenAI: the temperature of a model that thinks",
        error(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        ),
        _has("temperature"),
        "without a temperature",
    ),
    _without(
        "OpenAI: logprobs of a model that thinks",
        error(403, "You are not allowed to request logprobs from this model"),
        _has("logprobs"),
        "without logprobs",
    ),
    _without(
        "OpenAI: a system's role",
        error(
            400,
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            param="messages[0].role",
            code="unsupported_value",
        ),
        _has_system,
        "the system's words before the user's first",
    ),
    _item(
        "OpenAI: a prompt against the policy",
        error(
            400,
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            code="invalid_prompt",
        ),
        "content filter",
    ),
    _item(
        "OpenAI: context_length_exceeded",
        error(
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
            param="messages",
            code="context_length_exceeded",
        ),
        "context too long",
    ),
    _pictured(
        "OpenAI: an image that it does not read",
        error(
            400,
            "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
            code="invalid_image_format",
        ),
        "picture not taken",
    ),
    _pictured(
        "OpenAI: an image that is not safe",
        error(
            400,
            "Your input image may contain content that is not allowed by our safety system.",
            code="moderation_blocked",
        ),
        "image safety",
    ),
    Behaviour(
        "OpenAI: a refusal in its own field",
        of_item(message(content=None, refusal="I will not say.")),
        scored="Replies without use: refusal 1",
    ),
    _fatal(
        "OpenAI: no credit left",
        error(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            code="insufficient_quota",
        ),
        "no credit left",
    ),
    _fatal(
        "OpenAI: a model that is not there",
        error(404, "The model `m` does not exist or you do not have access to it.", code="model_not_found"),
        "(`model`)",
    ),
)
_FILTERED = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
        },
    }
}
_AZURE = (
    _item("Azure: the prompt is filtered", reply(_FILTERED, 400), "content filter"),
    _item(
        "Azure: the reply is filtered, and has no content",
        reply(
            {
                "choices": [
                    {
                        "finish_reason": "content_filter",
                        "index": 0,
                        "message": {"role": "assistant"},
                        "content_filter_results": {"sexual": {"filtered": True}},
                    }
                ]
            }
        ),
        "content filter",
    ),
    _item(
        "Azure: a filtered choice has no message",
        reply({"choices": [{"finish_reason": "content_filter", "index": 0, "content_filter_results": {}}]}),
        "content filter",
    ),
    _pictured(
        "Azure: a picture is too large",
        error(400, "Invalid image data: the image exceeds the maximum size of 20 MB.", code="BadRequest"),
        "picture not taken",
    ),
    _fatal(
        "Azure: a URL without a deployment",
        reply({"error": {"code": "404", "message": "Resource not found"}}, 404),
        "api-version",
        below="/openai",
    ),
    Behaviour(
        "Azure: api-version in the URL, the key in api-key",
        lambda path, headers, body: (
            chat("yes")
            if body
            and path.endswith("/completions?api-version=2024-10-21")
            and "api-key" in headers
            and "authorization" not in headers
            else Answer(b"{}", 200 if body is None else 404)
        ),
        scored="Asked live",
        below="/openai/deployments/m?api-version=2024-10-21",
    ),
    _fatal(
        "Azure: a wrong key",
        reply(
            {
                "error": {
                    "code": "401",
                    "message": "Access denied due to invalid subscription key or wrong API endpoint.",
                }
            },
            401,
        ),
        "is it the right key?",
    ),
)
_GEMINI = (
    _item(
        "Gemini: finish_reason SAFETY and no message",
        reply({"choices": [{"finish_reason": "SAFETY", "index": 0}]}),
        "content filter",
    ),
    _item(
        "Gemini: finish_reason content_filter: PROHIBITED_CONTENT",
        reply(
            {
                "choices": [
                    {
                        "finish_reason": "content_filter: PROHIBITED_CONTENT",
                        "index": 0,
                        "message": {"role": "assistant"},
                    }
                ]
            }
        ),
        "content filter",
    ),
    _item(
        "Gemini: promptFeedback in place of choices",
        reply({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}),
        "content filter",
    ),
    _item(
        "Gemini: promptFeedback IMAGE_SAFETY",
        reply({"choices": [], "promptFeedback": {"blockReason": "IMAGE_SAFETY"}}),
        "image safety",
    ),
    _item("Gemini: finish_reason IMAGE_SAFETY", chat("", finish_reason="IMAGE_SAFETY", message=None), "image safety"),
    _item("Gemini: RECITATION", chat("some", finish_reason="RECITATION"), "content filter"),
    _item(
        "Gemini: too many tokens, in a list",
        reply(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "The input token count (1048999) exceeds the maximum number of tokens allowed (1048576).",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
            400,
        ),
        "context too long",
    ),
    _pictured(
        "Gemini: an image that it cannot process",
        reply(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "Unable to process input image. Please retry or report in https://developers.generativeai.google",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
            400,
        ),
        "picture not taken",
    ),
    _without(
        "Gemini: no instruction for Gemma",
        reply(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "Developer instruction is not enabled for models/gemma-3-4b-it",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
            400,
        ),
        _has_system,
        "the system's words before the user's first",
    ),
    _without(
        "Gemini: no logprobs",
        reply(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "Logprobs is not enabled for models/gemini-2.5-pro",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
            400,
        ),
        _has("logprobs"),
        "without logprobs",
    ),
    _fatal(
        "Gemini: a wrong key, with 400",
        reply(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "API key not valid. Please pass a valid API key.",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
            400,
        ),
        "`key`",
    ),
    Behaviour(
        "Gemini: a limit per minute, in the words of an account without credit",
        _loading(
            reply(
                [
                    {
                        "error": {
                            "code": 429,
                            "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 36.4s.",
                            "status": "RESOURCE_EXHAUSTED",
                            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}],
                        }
                    }
                ],
                429,
            )
        ),
        scored="Tried again: 429",
    ),
    _no_pictures(
        "Gemini: no modality of images",
        reply(
            [{"error": {"code": 400, "message": "Image input modality is not enabled for models/gemma-3-1b-it"}}], 400
        ),
    ),
    Behaviour(
        "Gemini: overloaded, then not",
        _loading(
            reply(
                [
                    {
                        "error": {
                            "code": 503,
                            "message": "The model is overloaded. Please try again later.",
                            "status": "UNAVAILABLE",
                        }
                    }
                ],
                503,
            )
        ),
        scored="Tried again: 503",
    ),
)
_VLLM = (
    _item(
        "vLLM: too long, in its old layout",
        reply(
            {
                "object": "error",
                "message": "This model's maximum context length is 2048 tokens. However, you requested 2100 tokens (2068 in the messages, 32 in the completion). Please reduce the length of the messages or completion.",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            },
            400,
        ),
        "context too long",
    ),
    _item(
        "vLLM: too long, in its new words",
        error(
            400,
            "You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 1014 tokens. (parameter=input_tokens, value=1015)",
            param="input_tokens",
            code=400,
        ),
        "context too long",
    ),
    _item(
        "vLLM: no room for a reply",
        reply(
            {
                "object": "error",
                "message": "max_tokens must be at least 1, got -186.",
                "type": "BadRequestError",
                "code": 400,
            },
            400,
        ),
        "context too long",
    ),
    _without(
        "vLLM: a template without a system",
        reply(
            {
                "object": "error",
                "message": "System role not supported",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            },
            400,
        ),
        _has_system,
        "the system's words before the user's first",
    ),
    _without(
        "vLLM: roles must alternate",
        error(400, "Conversation roles must alternate user/assistant/user/assistant/... /opt/chat_template line 1"),
        _has_system,
        "the system's words before the user's first",
    ),
    _without(
        "vLLM: fewer likeliest tokens",
        error(
            400,
            "Requested sample logprobs of 20, which is greater than max allowed: 5 (parameter=top_logprobs, value=20)",
        ),
        lambda body: body.get("top_logprobs", 0) > 5,
        "Asked live",
    ),
    _without(
        "vLLM: no likeliest tokens at all",
        reply(
            {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "top_logprobs"],
                        "msg": "Extra inputs are not permitted",
                        "input": 20,
                    }
                ]
            },
            422,
        ),
        _has("top_logprobs"),
        "without logprobs",
    ),
    _no_pictures(
        "vLLM: a model of words alone",
        reply(
            {"object": "error", "message": "m is not a multimodal model", "type": "BadRequestError", "code": 400}, 400
        ),
    ),
    _no_pictures("vLLM: no images allowed", error(400, "At most 0 image(s) may be provided in one prompt.")),
    _pictured(
        "vLLM: an image that PIL does not know",
        error(400, "cannot identify image file <_io.BytesIO object at 0x7f>"),
        "picture not taken",
    ),
    _fatal(
        "vLLM: a model of another name",
        reply(
            {"object": "error", "message": "The model `m` does not exist.", "type": "NotFoundError", "code": 404}, 404
        ),
        "(`model`)",
    ),
)
_OLLAMA = (
    _no_pictures(
        "Ollama: no data for images",
        error(
            500, "Failed to create new sequence: this model is missing data required for image input", type="api_error"
        ),
    ),
    _no_pictures(
        "Ollama: no image input",
        error(400, "this model does not support image input (ref: b8bd630e)", type="api_error"),
    ),
    _fatal(
        "Ollama: a model that was not pulled",
        error(404, 'model "m" not found, try pulling it first', type="api_error"),
        "(`model`)",
    ),
    _pictured(
        "Ollama: an image that it cannot decode",
        error(400, "invalid image input", type="invalid_request_error"),
        "picture not taken",
    ),
    Behaviour(
        "Ollama: a thought in `reasoning`",
        always(message(content="yes", reasoning="Let me look.")),
        scored="Asked live",
    ),
    Behaviour(
        "Ollama: the runner stops, then comes back",
        _loading(error(500, "llama runner process has terminated: exit status 2", type="api_error"), 2),
        scored="Tried again: 500",
    ),
)
_LM_STUDIO = (
    _no_pictures(
        "LM Studio: a text as error",
        reply({"error": "Model does not support images. Please use a model that does."}, 400),
    ),
    _item(
        "LM Studio: too long",
        reply(
            {
                "error": "Trying to keep the first 11149 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."
            },
            400,
        ),
        "context too long",
    ),
    _fatal(
        "LM Studio: a wrong path, with 200",
        reply({"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
        "/v1",
        below="",
    ),
    Behaviour(
        "LM Studio: the model is loaded again",
        _loading(reply({"error": "Model unloaded."}, 503)),
        scored="Tried again: loading",
    ),
    _without(
        "LM Studio: an error with 200, of a parameter",
        reply({"error": "'logprobs' : unsupported parameter"}),
        _has("logprobs"),
        "without logprobs",
    ),
    _no_pictures(
        "LM Studio: without the vision add-on",
        reply({"error": "ValueError: Vision add-on is not loaded, but images were provided for processing"}, 400),
    ),
)
_RAW = '{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, you requested 8246 tokens","type":"invalid_request_error","param":null,"code":400}}'
_OPENROUTER = (
    _item(
        "OpenRouter: moderation",
        reply(
            {
                "error": {
                    "code": 403,
                    "message": "m requires moderation. Your input was flagged for violence.",
                    "metadata": {"reasons": ["violence"], "flagged_input": "is it", "provider_name": "OpenAI"},
                }
            },
            403,
        ),
        "content filter",
    ),
    _item(
        "OpenRouter: the provider's error inside",
        reply(
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": _RAW, "provider_name": "Azure"},
                }
            },
            400,
        ),
        "context too long",
    ),
    _item(
        "OpenRouter: the same with 200",
        reply(
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": _RAW, "provider_name": "Azure"},
                }
            }
        ),
        "context too long",
    ),
    _no_pictures(
        "OpenRouter: no endpoint for images", error(404, "No endpoints found that support image input", code=404)
    ),
    _fatal(
        "OpenRouter: no credit",
        error(402, "Insufficient credits. Add more using https://openrouter.ai/credits", code=402),
        "no credit left",
    ),
    Behaviour(
        "OpenRouter: an error in a choice, then not",
        _loading(chat("", finish_reason="error", error={"code": 502, "message": "Upstream"})),
        scored="Tried again: error in place of a reply",
    ),
    _without(
        "OpenRouter: no provider takes a seed and logprobs",
        error(404, "No endpoints found that can handle the requested parameters: logprobs, top_logprobs."),
        _has("logprobs"),
        "without logprobs",
    ),
    Behaviour(
        "OpenRouter: spaces and a comment before the reply",
        always(Answer(b"\n         \n" + chat("yes").body)),
        scored="Asked live",
    ),
)
_LLAMA_CPP = (
    Behaviour(
        "llama.cpp: it loads",
        _loading(reply({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503)),
        scored="Asked live",
    ),
    _fatal(
        "llama.cpp: it loads for ever",
        reply({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503),
        "`wait`",
    ),
    _item(
        "llama.cpp: too long",
        reply(
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size. try increasing the context size or enable context shift",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 14429,
                    "n_ctx": 8192,
                }
            },
            400,
        ),
        "context too long",
    ),
    _item(
        "llama.cpp: too long, with 200 and code 500",
        reply(
            {
                "error": {
                    "code": 500,
                    "message": "the request exceeds the available context size.",
                    "type": "exceed_context_size_error",
                }
            }
        ),
        "context too long",
    ),
    _no_pictures(
        "llama.cpp: no mmproj",
        error(
            500,
            "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
            type="server_error",
            code=500,
        ),
    ),
    _without(
        "llama.cpp: a template that raises at a system",
        error(500, "System role not supported at row 1, column 58", type="server_error", code=500),
        _has_system,
        "the system's words before the user's first",
    ),
    _pictured(
        "llama.cpp: an image that it cannot load",
        error(400, "Failed to load image or audio file", code=400),
        "picture not taken",
    ),
    _fatal(
        "llama.cpp: a key is wanted",
        reply({"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}}, 401),
        "is it the right key?",
    ),
)
_MISTRAL = (
    _item(
        "Mistral: too long",
        reply(
            {
                "object": "error",
                "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
                "type": "invalid_request_error",
                "code": 3051,
            },
            400,
        ),
        "context too long",
    ),
    _without(
        "Mistral: fields that it does not know",
        reply(
            {
                "object": "error",
                "message": {
                    "detail": [
                        {
                            "type": "extra_forbidden",
                            "loc": ["body", "logprobs"],
                            "msg": "Extra inputs are not permitted",
                            "input": True,
                        },
                        {
                            "type": "extra_forbidden",
                            "loc": ["body", "top_logprobs"],
                            "msg": "Extra inputs are not permitted",
                            "input": 20,
                        },
                    ]
                },
                "type": "invalid_request_error",
            },
            422,
        ),
        _has("logprobs"),
        "without logprobs",
    ),
    Behaviour(
        "Mistral: content in parts, a thought among them",
        always(
            message(
                content=[
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "yes"},
                ]
            )
        ),
        scored="Asked live",
    ),
    _without(
        "Mistral: the seed by another name",
        reply({"detail": "field max_tokens: must be at most 8"}, 422),
        _has("max_tokens"),
        "max_completion_tokens in place of max_tokens",
    ),
    _fatal("Mistral: no key", reply({"message": "Unauthorized", "request_id": "1"}, 401), "is it the right key?"),
)
_OTHERS = (
    _item(
        "a tool is called in place of an answer",
        chat(
            "",
            finish_reason="tool_calls",
            message={
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
        ),
        "tool call",
    ),
    _item("a choice without a message", chat("", message=None), "no message"),
    Behaviour(
        "a refusal that nobody knows, of the first item",
        lambda path, headers, body: (
            Answer(b'{"data": []}')
            if body is None
            else error(400, "E4711")
            if "nr 1?" in last_text(body)
            else chat("yes")
        ),
        scored="Refused, and scored as missing answers: request refused 1.",
        options={"connections": 1},
    ),
    _item("a refusal that nobody knows, after replies", reply({"error": {"message": "E4711"}}, 400), "request refused"),
    _without(
        "a complaint behind 400 characters of others",
        error(
            400, "The request is not what this gateway takes. " * 12 + "Remove: top_logprobs, which is not supported."
        ),
        _has("top_logprobs"),
        "without logprobs",
    ),
    _without(
        "log probabilities by another name",
        error(400, "responseLogprobs must not be set for this model"),
        _has("logprobs"),
        "without logprobs",
    ),
    _without(
        "several parameters, one after the other",
        error(400, "unknown parameters: max_tokens, temperature, logprobs"),
        _has("max_tokens", "temperature", "logprobs"),
        "without logprobs",
    ),
    Behaviour(
        "Hugging Face: the model is loading",
        _loading(reply({"error": "Model m is currently loading", "estimated_time": 20.0}, 503)),
        scored="Asked live",
    ),
    _no_pictures(
        "Groq: a content is a string",
        error(
            400,
            "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
        ),
    ),
    _item("LiteLLM: a policy", error(400, "litellm.ContentPolicyViolationError: AzureException"), "content filter"),
    _fatal("Anthropic: no credit", error(400, "Your credit balance is too low to access the API."), "no credit left"),
    _item(
        "TGI: too many tokens",
        reply(
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 32 `max_new_tokens`",
                "error_type": "validation",
            },
            422,
        ),
        "context too long",
    ),
    _pictured(
        "Anthropic: an image over 5 MB",
        reply(
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
                },
            },
            400,
        ),
        "picture not taken",
    ),
    _item(
        "Anthropic: the output is blocked",
        reply(
            {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"},
            },
            400,
        ),
        "content filter",
    ),
    _item(
        "DashScope: inspected data",
        error(400, "Input data may contain inappropriate content.", code="data_inspection_failed"),
        "content filter",
    ),
    _item("DeepSeek: Content Exists Risk", error(400, "Content Exists Risk"), "content filter"),
    _fatal(
        "DashScope: streams alone",
        error(400, "This model only support stream mode, please enable the stream parameter to access the model."),
        "streams",
    ),
    _fatal(
        "DashScope: thinking without streams",
        error(400, "parameter.enable_thinking must be set to false for non-streaming calls"),
        "`extra_body`",
    ),
    Behaviour(
        "DashScope: thinking set by extra_body",
        refusing(
            error(400, "parameter.enable_thinking must be set to false for non-streaming calls"),
            lambda body: body.get("enable_thinking") is not False,
        ),
        scored="Asked live",
        options={"extra_body": '{"enable_thinking": false}'},
    ),
    Behaviour(
        "a gateway that wants a header",
        lambda path, headers, body: (
            (chat("yes") if body else Answer(b"{}"))
            if headers.get("x-team") == "vision"
            else Answer(b'{"error": "the header X-Team is missing"}', 400)
        ),
        scored="Asked live",
        options={"header": ("X-Team=vision",)},
    ),
    _fatal(
        "a gateway that wants a header, without it", reply({"error": "the header X-Team is missing"}, 400), "`header`"
    ),
    Behaviour(
        "every item is filtered",
        lambda path, headers, body: Answer(b"{}") if body is None else reply(_FILTERED, 400),
        explained="`max_refused`",
        items=24,
    ),
)
QUIRKY: tuple[Behaviour, ...] = (
    *_OPENAI,
    *_AZURE,
    *_GEMINI,
    *_VLLM,
    *_OLLAMA,
    *_LM_STUDIO,
    *_OPENROUTER,
    *_LLAMA_CPP,
    *_MISTRAL,
    *_OTHERS,
)
