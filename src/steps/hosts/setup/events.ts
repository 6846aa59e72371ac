import { catalogue } from '../../../i18n/catalogue.ts';

const words = () => catalogue().hosts.progress;

/** Progress of install.sh. */
export const RUN_PHASES = ['packages', 'files', 'checks', 'firewall', 'services', 'revert'] as const;
type RunPhase = (typeof RUN_PHASES)[number];

/** The end of a run on a host. `lost`: the host was rebooted meanwhile, or knows of no run. */
export type RunEnd =
  | { readonly end: 'same' | 'confirmed' | 'undone' | 'lost' }
  /** It failed, and the host reverted it. */
  | { readonly end: 'failed'; readonly why: string }
  /** It is in place and stays, since it cuts nothing off, but a check fails. */
  | { readonly end: 'unproven'; readonly why: string }
  /** It was not confirmed. `isRestored`: the host was probed again, and is as it was. */
  | { readonly end: 'reverted'; readonly isRestored: boolean; readonly why: string }
  /** The host could not revert it. */
  | { readonly end: 'stuck'; readonly why: string };

/** An event on a host while its `install.sh` runs there. */
export type HostEvent =
  | {
      readonly type: 'began';
      readonly action: 'install' | 'undo';
      readonly isFound: boolean;
      readonly revertsAfter: number;
    }
  | { readonly type: 'stage'; readonly stage: RunPhase }
  | { readonly type: 'line'; readonly line: string }
  /** The connection to the host is lost; the run continues there. */
  | { readonly type: 'connection-lost'; readonly why: string }
  | { readonly type: 'connection-restored' }
  | { readonly type: 'checking'; readonly failing: readonly string[]; readonly secondsLeft: number | null }
  | { readonly type: 'ended'; readonly end: RunEnd };

/** Formats an event as one line. */
export function formatHostEvent(event: HostEvent): string {
  switch (event.type) {
    case 'began':
      return event.isFound ? words().found : words().start[event.action](event.revertsAfter);
    case 'stage':
      return words().stages[event.stage];
    case 'line':
      return `  ${event.line}`;
    case 'connection-lost':
      return words().connectionLost(event.why);
    case 'connection-restored':
      return words().connectionRestored;
    case 'checking':
      return event.failing.length === 0
        ? words().checksPassed
        : words().checksFailing(event.failing[0] ?? '', event.failing.length, event.secondsLeft);
    case 'ended':
      return formatRunEnd(event.end);
  }
}

/** Formats an end as one line. */
export function formatRunEnd(end: RunEnd): string {
  switch (end.end) {
    case 'failed':
      return words().failed(end.why);
    case 'reverted':
      return end.isRestored ? words().reverted(end.why) : words().revertedWithDifferences(end.why);
    case 'unproven':
      return words().checksFailed(end.why);
    case 'stuck':
      return words().revertFailed(end.why);
    default:
      return words().ends[end.end];
  }
}
