import { catalogue } from '../../i18n/catalogue.ts';
import type { CertificatesView } from '../../steps/certificates/certificates-view.ts';
import { STEP_IDS, type StepId } from '../../steps/contract.ts';
import type { WizardState } from '../state.ts';
import { getStepError, type StepRun } from './step-run.ts';

/** A reason why the user is needed. `key` identifies it: the same reason is reported once. */
interface UserRequest {
  readonly key: string;
  readonly text: string;
}

const words = () => catalogue().notifications;

/** Lists what needs the user in a state and did not in the one before. */
function listUserRequests(before: Pick<WizardState, 'runs'>, state: Pick<WizardState, 'runs'>): UserRequest[] {
  return STEP_IDS.flatMap((id) => {
    const [old, run] = [before.runs[id], state.runs[id]];
    return old === run ? [] : listStepNeeds(id, old, run);
  });
}

function listStepNeeds(id: StepId, old: StepRun, run: StepRun): UserRequest[] {
  const title = catalogue().steps.titles[id];
  const wasBusy = old.phase === 'watching' || old.phase === 'applying';
  const isProbedAfterAction = old.phase === 'probing' && old.appliedAt !== null;
  const needs: UserRequest[] = [];
  if (run.probe?.job?.isAsking && !old.probe?.job?.isAsking)
    needs.push({
      key: `${id} question ${run.probe.job.startedAt} ${run.probe.summary}`,
      text: words().question(title),
    });
  if (run.phase === 'done' && (wasBusy || isProbedAfterAction))
    needs.push({ key: `${id} done`, text: words().done(title) });
  const error = getStepError(run);
  if (run.phase === 'failed' && error !== null && wasBusy)
    needs.push({ key: `${id} failed ${error.title}`, text: words().failed(title, error.title) });
  if (id === 'certificates') needs.push(...listWaitingRequests(run));
  return needs;
}

/** Lists the requests that only the user can decide: those that do not fit, and all while nothing approves them. */
function listWaitingRequests(run: StepRun): UserRequest[] {
  const view = run.probe?.view as CertificatesView | undefined;
  const isApproving = run.phase === 'applying';
  const waiting = (view?.requests ?? []).filter(
    ({ verdict }) => verdict === 'refused' || (verdict === 'expected' && !isApproving),
  );
  const nodes = [...new Set(waiting.map(({ shortName, node, name }) => shortName ?? node ?? name))];
  return waiting.length === 0
    ? []
    : [
        {
          key: `requests ${waiting
            .map(({ uid }) => uid)
            .sort()
            .join(' ')}`,
          text: words().requests(nodes),
        },
      ];
}

/** Creates the sender of notifications, which reports each reason once. */
export function createNotifier(notify: (text: string) => void) {
  const reported = new Set<string>();
  return {
    /** Returns whether a notification was sent. */
    update(before: Pick<WizardState, 'runs'>, state: Pick<WizardState, 'runs'>): boolean {
      const fresh = listUserRequests(before, state).filter(({ key }) => !reported.has(key));
      for (const { key, text } of fresh) {
        reported.add(key);
        notify(text);
      }
      return fresh.length > 0;
    },
  };
}
