"""What estimators tell of training, and how they say that there was none."""

from __future__ import annotations

from typing import Any


class NotFittedError(ValueError, AttributeError):
    """The estimator was not fitted yet."""


class Callback:
    """What is told of training; derive and override."""

    def on_epoch_end(self, epoch: dict[str, Any]) -> None:
        """After every epoch: epoch, loss, lr, train_seconds, sample_seconds, valid, best."""


class Bar:
    """A bar of tqdm, in a terminal or a notebook: one per epoch."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError("progress=True needs the package tqdm") from None
        self._tqdm = tqdm
        self._bar: Any = None
        self._epoch = -1

    def update(self, epoch: int, batch: int, batches: int, loss: float) -> None:
        if epoch != self._epoch:
            self.close()
            self._epoch = epoch
            self._bar = self._tqdm(total=batches, desc=f"epoch {epoch + 1}", unit="batch")
        self._bar.update(batch - self._bar.n)
        self._bar.set_postfix(loss=f"{loss:.4f}")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
