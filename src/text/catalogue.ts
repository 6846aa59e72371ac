import { artifacts } from './en/artifacts.ts';
import { bastion } from './en/bastion.ts';
import { cli } from './en/cli.ts';
import { cluster } from './en/cluster.ts';
import { csr } from './en/csr.ts';
import { design } from './en/design.ts';
import { designRules } from './en/design-rules.ts';
import { findings } from './en/findings.ts';
import { imports } from './en/imports.ts';
import { installer } from './en/installer.ts';
import { live } from './en/live.ts';
import { moves } from './en/moves.ts';
import { pages } from './en/pages.ts';
import { plain } from './en/plain.ts';
import { rehearsal } from './en/rehearsal.ts';
import { report } from './en/report.ts';
import { screens } from './en/screens.ts';
import { session } from './en/session.ts';
import { steps } from './en/steps.ts';
import { ui } from './en/ui.ts';

/**
 * Every sentence that a person reads, by area: one file per area in `en/`, sentences with parts are functions. Code imports
 * the area it needs; this is the whole, for what looks at all of it. A second language is a second folder whose whole has
 * the type of this one.
 */
export const english = {
  artifacts,
  bastion,
  cli,
  cluster,
  csr,
  design,
  designRules,
  findings,
  imports,
  installer,
  live,
  moves,
  pages,
  plain,
  rehearsal,
  report,
  screens,
  session,
  steps,
  ui,
} as const;

export type Catalogue = typeof english;
