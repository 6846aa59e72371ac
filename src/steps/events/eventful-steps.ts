import type { Finding } from '../../diagnosis/finding.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { CertificatesView } from '../certificates/index.ts';
import { type AnyStep, eachStep, type Probe, type StepContext, type StepId } from '../contract.ts';
import type { Events, WizardEvent } from './index.ts';

const words = () => catalogue().events;
const titleOf = (id: StepId) => catalogue().steps.titles[id];

/**
 * The steps, raising what a person may want to hear of: below every front end, so that each of them raises the same. A step that
 * was done before anybody looked is no news, nor is what failed because a person stopped it.
 */
export function eventfulSteps(
  steps: Readonly<Record<StepId, AnyStep>>,
  { raise }: Pick<Events, 'raise'>,
): Readonly<Record<StepId, AnyStep>> {
  const eventful = (id: StepId): AnyStep => {
    const step = steps[id];
    const blocked = new Set<string>();
    let isOpen = false;

    function note(probe: Probe<unknown>): void {
      if (id === 'certificates') for (const event of refusedIn(probe.view as CertificatesView)) raise(event);
      if (probe.state === 'done') {
        const { summary } = probe;
        // Whoever looks at a finished installation for the first time with a command set is told of it, too.
        if (id === 'operators') raise({ event: 'installation-complete', step: id, text: words().complete, key: '' });
        if (isOpen) raise({ event: 'step-done', step: id, text: words().done(titleOf(id), summary) });
        isOpen = false;
        blocked.clear();
        return;
      }
      isOpen = true;
      for (const { title, cause } of probe.findings.filter(isFatal)) {
        if (!blocked.has(title))
          raise({ event: 'step-blocked', step: id, text: words().blocked(titleOf(id), title, cause) });
        blocked.add(title);
      }
    }

    async function acting(context: StepContext, act: () => Promise<void> | undefined): Promise<void> {
      try {
        isOpen = true;
        await act();
      } catch (error) {
        const { title, cause } = asTrouble(error);
        if (!context.signal.aborted)
          raise({ event: 'step-failed', step: id, text: words().failedStep(titleOf(id), title, cause) });
        throw error;
      }
    }

    return {
      ...step,
      async look(context) {
        const seen = await step.look(context);
        note(seen.probe);
        return seen;
      },
      async verify(context) {
        const probe = await step.verify(context);
        note(probe);
        return probe;
      },
      apply: (context, report) => acting(context, () => step.apply(context, report)),
      ...(step.applyOne && {
        applyOne: (context, subject, report) => acting(context, () => step.applyOne?.(context, subject, report)),
      }),
      ...(step.undo && {
        undo: (context, subject, report) => acting(context, () => step.undo?.(context, subject, report)),
      }),
    };
  };
  return eachStep(eventful);
}

const isFatal = ({ severity, state }: Finding) => severity === 'fatal' && state === 'failed';

/** More requests than these at once are told as one. */
const FEW = 5;

function refusedIn({ requests }: CertificatesView): WizardEvent[] {
  const refused = requests.filter(({ verdict }) => verdict === 'refused');
  const [first] = refused;
  if (first !== undefined && refused.length > FEW)
    return [
      { event: 'certificate-refused', step: 'certificates', text: words().refusedMany(refused.length), key: first.uid },
    ];
  return refused.map((request) => refusedEvent(request, request.why));
}

/** A certificate request that is left for a person, as the wizard and the job that approves requests tell it: once. */
export function refusedEvent(
  { name, uid, node, requester }: Pick<CertificatesView['requests'][number], 'name' | 'uid' | 'node' | 'requester'>,
  why: readonly string[],
): WizardEvent {
  return {
    event: 'certificate-refused',
    step: 'certificates',
    text: words().refused(name, node ?? requester, why.join(' ')),
    key: uid,
  };
}
