import { catalogue } from '../../i18n/catalogue.ts';
import { findEntry } from '../../platform/files.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { StepId } from '../contract.ts';
import type { JOB_NAMES } from '../shared/jobs.ts';
import type { EventName, WizardEvent } from './index.ts';

const words = () => catalogue().events;

/** The step that started a job. */
const JOB_STEPS: Readonly<Record<(typeof JOB_NAMES)[number], StepId>> = {
  'boot-server': 'boot',
  'bootstrap-complete': 'bootstrap',
  'install-complete': 'operators',
  'csr-follow': 'certificates',
};

/**
 * Creates the events for the end of a job's program.
 * @param job its name
 * @param code its exit code
 */
export function createJobEvents(event: EventName, job: string, code: number): readonly WizardEvent[] {
  const title = findEntry(catalogue().back.jobs.names, job) ?? sanitizeLine(job, 80);
  const step = findEntry(JOB_STEPS, job) ?? 'report';
  const text = event === 'job-restarted' ? words().jobRestarted(title, code) : words().jobEnded(title, code);
  const isInstalled = event === 'job-ended' && job === 'install-complete' && code === 0;
  return [
    { event, step, text },
    ...(isInstalled ? ([{ event: 'installation-complete', step, text: words().installed, key: '' }] as const) : []),
  ];
}
