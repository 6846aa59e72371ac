import hostRunTemplate from '../../../templates/host-run.sh.eta';
import { WORK_DIR } from '../shared/layout.ts';
import { renderTemplate } from '../shared/render.ts';

/**
 * Renders the script that runs a host's `install.sh` so that it survives the loss of the connection. The script is sent
 * as `host-run.sh` together with the files, which are below `files/` in the same directory.
 */
export function renderHostRunner(): string {
  const scripts = WORK_DIR.replace(/^\//, '');
  return renderTemplate(hostRunTemplate, { scripts, script: `${scripts}/install.sh` });
}
