import type { ActionTarget, HostOption, StepAction, StepActionType } from './contract.ts';

const ALL_EXPECTED = '/expected';
const NETWORK_TEST_SUBJECT = '/ask';
const IGNITION_PREFIX = 'ignition/';
const JOB_SUBJECTS = { start: 'follow', stop: 'follow-stop' } as const;
const MOVE_SUBJECT = /^(\S+?)(?: (overwrite|defaults))?$/;

/** Formats a target as the subject that the journal and saved questions have. */
export function formatTarget(target: ActionTarget): string {
  switch (target.kind) {
    case 'move':
      return [
        [...(target.dependents ?? []), target.name].join(','),
        ...(target.consent === null ? [] : [target.consent]),
      ].join(' ');
    case 'hosts':
      return [target.names.join(','), ...target.options].join(' ');
    case 'request':
      return target.node === null ? target.name : `${target.name}/${target.node}`;
    case 'expected-requests':
      return ALL_EXPECTED;
    case 'ignition':
      return `${IGNITION_PREFIX}${target.node}`;
    case 'network-test':
      return NETWORK_TEST_SUBJECT;
    case 'approval-job':
      return JOB_SUBJECTS[target.change];
    case 'machine':
    case 'part':
      return target.name;
  }
}

/**
 * Parses the subject of an action.
 * @param step the id of its step
 */
export function parseTarget(step: string, subject: string): ActionTarget {
  switch (step) {
    case 'infra': {
      const [, names = subject, consent] = MOVE_SUBJECT.exec(subject) ?? [];
      const moveNames = names.split(',');
      return {
        kind: 'move',
        name: moveNames.pop() ?? names,
        consent: consent === 'overwrite' || consent === 'defaults' ? consent : null,
        ...(moveNames.length === 0 ? {} : { dependents: moveNames }),
      };
    }
    case 'hosts': {
      const [names = '', ...optionWords] = subject.split(' ');
      const options = optionWords.filter((word): word is HostOption => word === 'overwrite' || word === 'side-by-side');
      return { kind: 'hosts', names: names.split(','), options };
    }
    case 'certificates': {
      if (subject === ALL_EXPECTED) return { kind: 'expected-requests' };
      const [name = '', node = null] = subject.split('/');
      return { kind: 'request', name, node };
    }
    case 'boot':
      if (subject === NETWORK_TEST_SUBJECT) return { kind: 'network-test' };
      return subject.startsWith(IGNITION_PREFIX)
        ? { kind: 'ignition', node: subject.slice(IGNITION_PREFIX.length) }
        : { kind: 'machine', name: subject };
    case 'report':
      return { kind: 'approval-job', change: subject === JOB_SUBJECTS.stop ? 'stop' : 'start' };
    default:
      return { kind: 'part', name: subject };
  }
}

/** Formats an action as the journal and saved questions have it. */
export function formatAction(action: StepAction): { readonly action: StepActionType; readonly subject: string | null } {
  switch (action.type) {
    case 'apply':
      return { action: 'apply', subject: null };
    case 'override':
      return { action: 'override', subject: action.reason };
    case 'undo':
    case 'apply-one':
    case 'set-up':
      return { action: action.type, subject: action.target && formatTarget(action.target) };
  }
}

/** Parses an action of a step. */
export function parseAction(step: string, action: StepActionType, subject: string | null): StepAction {
  if (action === 'apply') return { type: action };
  if (action === 'override') return { type: action, reason: subject ?? '' };
  if (action === 'undo') return { type: action, target: subject === null ? null : parseTarget(step, subject) };
  return { type: action, target: parseTarget(step, subject ?? '') };
}

/**
 * Narrows a target to the kind that the action of a step accepts.
 * @throws Error if the target is of another kind
 */
export function requireTarget<Kind extends ActionTarget['kind']>(
  target: ActionTarget,
  kind: Kind,
): Extract<ActionTarget, { readonly kind: Kind }> {
  if (hasKind(target, kind)) return target;
  throw new Error(`a target of the kind ${target.kind}, not ${kind}`);
}

function hasKind<Kind extends ActionTarget['kind']>(
  target: ActionTarget,
  kind: Kind,
): target is Extract<ActionTarget, { readonly kind: Kind }> {
  return target.kind === kind;
}

/**
 * Returns the subject of the page about a missing node (no object, no request).
 * @param name the short name of the node
 */
export function createMissingNodeSubject(name: string): string {
  return `/node/${name}`;
}
