import { MINUTE } from '../platform/clock.ts';

/** A part of a wait, as far as it was observed. The parts of a wait follow each other. */
export interface WaitPart {
  /** The usual minutes of the part. */
  readonly usualMinutes: readonly [min: number, max: number];
  /** The share of the part that was observed as done, 0 to 1. */
  readonly share: number;
  /** When the part began, ms of the clock; null: it has not begun, or its start was not observed. */
  readonly startedAt: number | null;
  /** The item that an action may be about alone, such as a move; missing: the part belongs to every action. */
  readonly subject?: string;
  /** Little of the progress inside the part can be observed: the bar also grows with time. Missing: all of it can. */
  readonly hasHiddenProgress?: true;
}

/**
 * Usual minutes of the long waits. `bootstrap`: from the power-on of all machines to the complete bootstrap. `join`:
 * from the power-on of compute machines to Ready nodes. `operators`: from the complete bootstrap, or the first Ready
 * compute node after it, to available operators.
 */
export const USUAL_WAITS = { bootstrap: [20, 40], join: [10, 25], operators: [30, 60] } as const satisfies Record<
  string,
  WaitPart['usualMinutes']
>;

interface WaitEstimate {
  /** The usual remaining time, ms. */
  readonly remaining: readonly [min: number, max: number];
  /**
   * The wait takes longer than usual: the maximum usual time of all parts has passed, or that of each open part. After
   * earlier delays, a part within its own usual time is not overdue.
   */
  readonly isOverdue: boolean;
}

const getMaxUsualMs = ({ usualMinutes: usual }: WaitPart) => usual[1] * MINUTE;

/** Whether the maximum usual time has passed, from the first part whose start was observed to the last part. */
function isUsualTimeOver(parts: readonly WaitPart[], now: number): boolean {
  const firstIndex = parts.findIndex(({ startedAt }) => startedAt !== null);
  const startedAt = parts[firstIndex]?.startedAt ?? now;
  return now - startedAt > sum(parts.slice(firstIndex).map(getMaxUsualMs));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Returns the mean of shares; 0 if there are none. */
export const computeMean = (shares: readonly number[]) => (shares.length === 0 ? 0 : sum(shares) / shares.length);

const getMeanMinutes = ({ usualMinutes: [min, max] }: WaitPart) => (min + max) / 2;

/** A part that was not observed as done is drawn as done up to this share at most, however long it lasts. */
const MAX_TIMED_SHARE = 0.9;

/** Computes the share of a wait that was observed as done, 0 to 1: each part counts with its usual time. */
export function computeShare(parts: readonly WaitPart[]): number {
  const total = sum(parts.map(getMeanMinutes));
  return total === 0 ? 0 : sum(parts.map((part) => getMeanMinutes(part) * part.share)) / total;
}

/**
 * Computes the share of a wait to draw, 0 to 1: the observed one, and in parts with hidden progress the time that passes.
 * @param now ms of the clock
 */
export function computeDrawnShare(parts: readonly WaitPart[], now: number): number {
  const estimateShare = (part: WaitPart) =>
    part.hasHiddenProgress === undefined || part.startedAt === null
      ? part.share
      : Math.max(part.share, Math.min(MAX_TIMED_SHARE, (now - part.startedAt) / MINUTE / getMeanMinutes(part)));
  return computeShare(parts.map((part) => ({ ...part, share: estimateShare(part) })));
}

/**
 * Estimates the remaining time of a wait. Each open part counts with the smaller of two values. One is the rest of its
 * usual time, the other the usual time of the share that was not observed yet. Both only fall, so the estimate never
 * grows.
 * @param now ms of the clock
 */
export function estimateWait(parts: readonly WaitPart[], now: number): WaitEstimate {
  const openParts = parts.filter(({ share }) => share < 1);
  const getElapsed = ({ startedAt }: WaitPart) => (startedAt === null ? 0 : Math.max(0, now - startedAt));
  const sumRemaining = (index: 0 | 1) =>
    sum(
      openParts.map((part) => {
        const usualMs = part.usualMinutes[index] * MINUTE;
        return Math.max(0, Math.min(usualMs - getElapsed(part), usualMs * (1 - part.share)));
      }),
    );
  const isPartOverdue = (part: WaitPart) => getElapsed(part) > getMaxUsualMs(part);
  return {
    remaining: [sumRemaining(0), sumRemaining(1)],
    isOverdue:
      openParts.length > 0 &&
      openParts.filter(({ startedAt }) => startedAt !== null).every(isPartOverdue) &&
      (isUsualTimeOver(parts, now) || openParts.every(isPartOverdue)),
  };
}
