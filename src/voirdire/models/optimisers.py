"""What makes steps of gradients: the optimisers of the papers, their moments as arrays, and limits of gradients.

adam     Kingma and Ba 2015: 0.9, 0.999, 1e-8
adamax   the same with the largest gradient in place of the second moment
rmsprop  v ← 0.99 v + 0.01 g²,  w ← w − rate · g / (√v + 1e-8)        as the code of LQI, HieCoAtt and MLB has it
sgd      m ← momentum · m + g,  w ← w − rate · m
"""

import torch
from torch import nn
from torch.optim import SGD, Adam, Adamax, Optimizer, RMSprop

from voirdire.models import OptimiserName, TrainingSchedule

MOMENTS: dict[OptimiserName, tuple[str, ...]] = {
    "adam": ("exp_avg", "exp_avg_sq"),
    "adamax": ("exp_avg", "exp_inf"),
    "rmsprop": ("square_avg",),
    "sgd": ("momentum_buffer",),
}
"""What torch calls an optimiser's moments, the first and the second."""
Moments = dict[str, torch.Tensor]


def make_optimiser(network: nn.Module, schedule: TrainingSchedule) -> Optimizer:
    """The optimiser of a network's weights."""
    weights, rate = network.parameters(), schedule.rate
    match schedule.optimiser:
        case "adam":
            return Adam(weights, lr=rate, fused=True)
        case "adamax":
            return Adamax(weights, lr=rate)
        case "rmsprop":
            return RMSprop(weights, lr=rate, alpha=0.99, eps=1e-8)
        case "sgd":
            return SGD(weights, lr=rate, momentum=schedule.momentum)


def read_moments(optimiser: Optimizer, name: OptimiserName, network: nn.Module, which: int) -> Moments:
    """The first (0) or the second (1) moment of each weight that has one, by the weights' names."""
    if which >= len(MOMENTS[name]):
        return {}
    key = MOMENTS[name][which]
    states = {weight: optimiser.state.get(parameter, {}) for weight, parameter in network.named_parameters()}
    return {weight: state[key] for weight, state in states.items() if state.get(key) is not None}


def set_moments(optimiser: Optimizer, name: OptimiserName, network: nn.Module, steps: int, *moments: Moments) -> None:
    """Give an optimiser the moments of so many steps."""
    for weight, parameter in network.named_parameters():
        found = zip(MOMENTS[name], moments, strict=False)
        state = {key: values[weight].to(parameter.device) for key, values in found if weight in values}
        if state and name != "sgd":
            state["step"] = torch.tensor(float(steps), device=parameter.device if name == "adam" else "cpu")
        if state:
            optimiser.state[parameter] = state


def clip_each(network: nn.Module, longest: float) -> None:
    """Scale the gradient of each weight matrix that is longer than that."""
    for parameter in network.parameters():
        torch.nn.utils.clip_grad_norm_([parameter], longest)


def clamp_gradients(network: nn.Module, largest: float) -> None:
    """Bring every number of the gradients between −largest and largest."""
    torch.nn.utils.clip_grad_value_(network.parameters(), largest)
