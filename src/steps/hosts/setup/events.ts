import { catalogue } from '../../../text/catalogue.ts';

const words = () => catalogue().hosts.says;

/** How far install.sh has come. */
export const STAGES = ['packages', 'files', 'checks', 'firewall', 'services', 'revert'] as const;
export type HostStage = (typeof STAGES)[number];

/** How a run on a host ended. `lost`: the host started again meanwhile, or knows of no run. */
export type RunEnd =
  | { readonly end: 'same' | 'confirmed' | 'undone' | 'lost' }
  /** It failed, and the host took it back. */
  | { readonly end: 'failed'; readonly why: string }
  /** It is in place and stays, since it cuts nobody off, but a check fails. */
  | { readonly end: 'unproven'; readonly why: string }
  /** Nobody confirmed it. `isAsBefore`: the host was looked at again, and is as it was. */
  | { readonly end: 'reverted'; readonly isAsBefore: boolean; readonly why: string }
  /** The host could not take it back. */
  | { readonly end: 'stuck'; readonly why: string };

/** What happens on a host while its `install.sh` runs there. */
export type HostEvent =
  | {
      readonly type: 'began';
      readonly action: 'install' | 'undo';
      readonly isFound: boolean;
      readonly revertsAfter: number;
    }
  | { readonly type: 'stage'; readonly stage: HostStage }
  | { readonly type: 'line'; readonly line: string }
  /** The line to the host is lost; the run goes on there. */
  | { readonly type: 'line-lost'; readonly why: string }
  | { readonly type: 'line-back' }
  | { readonly type: 'checking'; readonly failing: readonly string[]; readonly secondsLeft: number | null }
  | { readonly type: 'ended'; readonly end: RunEnd };

/** An event in one line. */
export function eventLine(event: HostEvent): string {
  switch (event.type) {
    case 'began':
      return event.isFound ? words().found : words().began[event.action](event.revertsAfter);
    case 'stage':
      return words().stages[event.stage];
    case 'line':
      return `  ${event.line}`;
    case 'line-lost':
      return words().lost(event.why);
    case 'line-back':
      return words().back;
    case 'checking':
      return event.failing.length === 0
        ? words().checked
        : words().checking(event.failing[0] ?? '', event.failing.length, event.secondsLeft);
    case 'ended':
      return endLine(event.end);
  }
}

/** An end in one line. */
export function endLine(end: RunEnd): string {
  switch (end.end) {
    case 'failed':
      return words().failed(end.why);
    case 'reverted':
      return end.isAsBefore ? words().reverted(end.why) : words().revertedOtherwise(end.why);
    case 'unproven':
      return words().unproven(end.why);
    case 'stuck':
      return words().stuck(end.why);
    default:
      return words().ends[end.end];
  }
}
