import template from '../../../templates/host-run.sh.eta';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';

/**
 * The script that runs a host's `install.sh` so that it survives the line it was started over. It is sent there with the
 * files, in a directory that holds it as `host-run.sh` and them below `files/`.
 */
export function hostRunner(): string {
  const scripts = WORK_DIR.replace(/^\//, '');
  return render(template, { scripts, script: `${scripts}/install.sh` });
}
