/** Texts of findings, by occasion, each under the code of its check or rule. */
import { boot } from './boot.ts';
import { bootstrap } from './bootstrap.ts';
import { causes } from './causes.ts';
import { certificates } from './certificates.ts';
import { files } from './files.ts';
import { hosts } from './hosts.ts';
import { jobs } from './jobs.ts';
import { joinChecks } from './join-checks.ts';
import { machine } from './machine.ts';
import { moveChecks } from './move-checks.ts';
import { openIssues } from './open-issues.ts';
import { operators } from './operators.ts';
import { prepare } from './prepare.ts';
import { site } from './site/index.ts';

export const diagnosis = {
  notObservable: 'cannot be checked from here',
  boot,
  bootstrap,
  causes,
  certificates,
  files,
  hosts,
  jobs,
  joining: joinChecks,
  leftOpen: openIssues,
  machine,
  moving: moveChecks,
  operators,
  prepare,
  site,
};
