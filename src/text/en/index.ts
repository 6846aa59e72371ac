import { artifacts } from './artifacts.ts';
import { bastion } from './bastion.ts';
import { cli } from './cli.ts';
import { cluster } from './cluster.ts';
import { csr } from './csr.ts';
import { design } from './design.ts';
import { designRules } from './design-rules.ts';
import { diagnosis } from './diagnosis.ts';
import { help } from './help.ts';
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
import { operatorPages } from './steps/operator-pages.ts';
import { operatorWaits } from './steps/operator-waits.ts';
import { steps } from './steps.ts';
import { ui } from './ui.ts';

/** English: all the words by area, a file for each area; sentences with parts are functions. */
export const english = {
  artifacts,
  bastion,
  cli,
  cluster,
  csr,
  design,
  designRules,
  diagnosis,
  help,
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
  steps,
  ui,
};
