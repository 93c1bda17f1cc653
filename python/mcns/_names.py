"""How the names of samplers are spelled as classes."""

import re

_SPELLED = {
    "rns": "RNS",
    "wrmf": "WRMF",
    "pinsage": "PinSAGE",
    "warp": "WARP",
    "dns": "DNS",
    "irgan": "IRGAN",
    "kbgan": "KBGAN",
    "mcns": "MCNS",
    "inverse-dns": "InverseDNS",
}


def class_name(sampler: str) -> str:
    """ "self-adversarial" is SelfAdversarial, "mcns" MCNS."""
    return _SPELLED.get(sampler) or re.sub(r"(^|-)(\w)", lambda m: m.group(2).upper(), sampler)
