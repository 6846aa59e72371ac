import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { StepId } from '../contract.ts';
import type { JOB_NAMES } from '../shared/jobs.ts';
import type { EventName, WizardEvent } from './index.ts';

const words = () => catalogue().events;

/** The step that started a job. */
const STEP_OF: Readonly<Record<(typeof JOB_NAMES)[number], StepId>> = {
  'boot-server': 'boot',
  'bootstrap-complete': 'bootstrap',
  'install-complete': 'operators',
  'csr-follow': 'certificates',
};

/** What the end of a job's program is to a person. @param job its name @param code its exit code */
export function jobEvents(event: EventName, job: string, code: number): readonly WizardEvent[] {
  const title = entryOf(catalogue().back.jobs.names, job) ?? sanitizeLine(job, 80);
  const step = entryOf(STEP_OF, job) ?? 'report';
  const text = event === 'job-restarted' ? words().jobRestarted(title, code) : words().jobEnded(title, code);
  const isInstalled = event === 'job-ended' && job === 'install-complete' && code === 0;
  return [
    { event, step, text },
    ...(isInstalled ? ([{ event: 'installation-complete', step, text: words().installed, key: '' }] as const) : []),
  ];
}
