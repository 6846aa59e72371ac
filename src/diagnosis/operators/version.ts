import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';

/** Versions as "4.18" or "4.18.11"; `runs`: of the cluster, null while it has not said. */
interface VersionEvidence {
  readonly designed: string;
  readonly runs: string | null;
}

/** The cluster runs another version than the design says. What is done in the cluster goes by what runs. */
export const versionDiffers: Rule<VersionEvidence> = {
  code: 'version-differs',
  severity: 'note',
  judge({ designed, runs }) {
    if (runs === null || runs === '' || isSame(designed, runs)) return [];
    const { title, cause, whatToDo } = catalogue().diagnosis.operators['version-differs'];
    return [{ title: title(designed, runs), cause, whatToDo: whatToDo(runs) }];
  },
};

/** 4.18 is said by 4.18.11 and by 4.18.0-okd-scos.3; 4.18.3 only by itself. */
const isSame = (designed: string, runs: string) =>
  runs === designed || runs.startsWith(`${designed}.`) || runs.startsWith(`${designed}-`);
