import type { Finding } from '../../checks/check.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError } from '../../i18n/user-error.ts';

import type { CertificatesView } from '../certificates/index.ts';
import { type AnyStep, mapSteps, type Probe, type StepContext, type StepId } from '../contract.ts';
import type { EventQueue, WizardEvent } from './index.ts';

const words = () => catalogue().events;
const getStepTitle = (id: StepId) => catalogue().steps.titles[id];

/**
 * Wraps the steps so that they raise events, below every front end: all front ends raise the same. A step that was done
 * at its first probe raises none, nor does an action that the user stopped.
 */
export function withStepEvents(
  steps: Readonly<Record<StepId, AnyStep>>,
  { raise }: Pick<EventQueue, 'raise'>,
): Readonly<Record<StepId, AnyStep>> {
  const wrapStep = (id: StepId): AnyStep => {
    const step = steps[id];
    const blocked = new Set<string>();
    let isOpen = false;

    function raiseProbeEvents(probe: Probe<unknown>): void {
      if (id === 'certificates') for (const event of createRefusedEvents(probe.view as CertificatesView)) raise(event);
      if (probe.state === 'done') {
        const { summary } = probe;
        // Raised also at the first probe of a finished installation, once a command is set.
        if (id === 'operators') raise({ event: 'installation-complete', step: id, text: words().complete, key: '' });
        if (isOpen) raise({ event: 'step-done', step: id, text: words().done(getStepTitle(id), summary) });
        isOpen = false;
        blocked.clear();
        return;
      }
      isOpen = true;
      for (const { title, cause } of probe.findings.filter(isFatal)) {
        if (!blocked.has(title))
          raise({ event: 'step-blocked', step: id, text: words().blocked(getStepTitle(id), title, cause) });
        blocked.add(title);
      }
    }

    async function runAction(context: StepContext, act: () => Promise<void> | undefined): Promise<void> {
      try {
        isOpen = true;
        await act();
      } catch (error) {
        const { title, cause } = toUserError(error);
        if (!context.signal.aborted)
          raise({ event: 'step-failed', step: id, text: words().failedStep(getStepTitle(id), title, cause) });
        throw error;
      }
    }

    return {
      ...step,
      async probe(context) {
        const result = await step.probe(context);
        raiseProbeEvents(result.probe);
        return result;
      },
      async verify(context) {
        const probe = await step.verify(context);
        raiseProbeEvents(probe);
        return probe;
      },
      apply: (context, report) => runAction(context, () => step.apply(context, report)),
      ...(step.applyOne && {
        applyOne: (context, subject, report) => runAction(context, () => step.applyOne?.(context, subject, report)),
      }),
      ...(step.undo && {
        undo: (context, subject, report) => runAction(context, () => step.undo?.(context, subject, report)),
      }),
    };
  };
  return mapSteps(wrapStep);
}

const isFatal = ({ severity, state }: Finding) => severity === 'fatal' && state === 'failed';

/** More refused requests than these are raised as one event. */
const MAX_SINGLE_EVENTS = 5;

function createRefusedEvents({ requests }: CertificatesView): WizardEvent[] {
  const refused = requests.filter(({ verdict }) => verdict === 'refused');
  const [first] = refused;
  if (first !== undefined && refused.length > MAX_SINGLE_EVENTS)
    return [
      { event: 'certificate-refused', step: 'certificates', text: words().refusedMany(refused.length), key: first.uid },
    ];
  return refused.map((request) => createRefusedEvent(request, request.why));
}

/**
 * Creates the event of a certificate request that is left for the user. The wizard and the job that approves requests
 * raise it once.
 */
export function createRefusedEvent(
  { name, uid, node, requester }: Pick<CertificatesView['requests'][number], 'name' | 'uid' | 'node' | 'requester'>,
  reasons: readonly string[],
): WizardEvent {
  return {
    event: 'certificate-refused',
    step: 'certificates',
    text: words().refused(name, node ?? requester, reasons.join(' ')),
    key: uid,
  };
}
