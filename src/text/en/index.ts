import { artifacts } from './artifacts.ts';
import { back } from './back.ts';
import { bastion } from './bastion.ts';
import { bundle } from './bundle.ts';
import { check } from './check.ts';
import { cli } from './cli.ts';
import { cluster } from './cluster.ts';
import { csr } from './csr.ts';
import { design } from './design.ts';
import { designRules } from './design-rules.ts';
import { diagnose } from './diagnose.ts';
import { diagnosis } from './diagnosis.ts';
import { doctor } from './doctor.ts';
import { events } from './events.ts';
import { exportWords } from './export.ts';
import { following } from './following.ts';
import { glossary } from './glossary.ts';
import { help } from './help.ts';
import { holder } from './holder.ts';
import { hosts } from './hosts.ts';
import { imports } from './imports.ts';
import { installer } from './installer.ts';
import { live } from './live.ts';
import { moves } from './moves.ts';
import { pages } from './pages.ts';
import { plain } from './plain.ts';
import { rehearsal } from './rehearsal.ts';
import { report } from './report.ts';
import { screens } from './screens.ts';
import { session } from './session.ts';
import { shells } from './shells.ts';
import { stepHelp } from './step-help.ts';
import { operatorPages } from './steps/operator-pages.ts';
import { operatorWaits } from './steps/operator-waits.ts';
import { steps } from './steps.ts';
import { ui } from './ui.ts';

/** English: all the words by area, a file for each area; sentences with parts are functions. */
export const english = {
  artifacts,
  back,
  bastion,
  bundle,
  check,
  cli,
  cluster,
  csr,
  design,
  designRules,
  diagnose,
  diagnosis,
  doctor,
  following,
  events,
  glossary,
  help,
  holder,
  export: exportWords,
  hosts,
  imports,
  installer,
  live,
  moves,
  operatorPages,
  operatorWaits,
  pages,
  plain,
  rehearsal,
  report,
  screens,
  session,
  stepHelp,
  shells,
  steps,
  ui,
};
