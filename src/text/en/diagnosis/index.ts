/** The words of the judgements, by occasion, each under the code of its check or rule. */
import { boot } from './boot.ts';
import { bootstrap } from './bootstrap.ts';
import { causes } from './causes.ts';
import { certificates } from './certificates.ts';
import { files } from './files.ts';
import { hosts } from './hosts.ts';
import { jobs } from './jobs.ts';
import { joining } from './joining.ts';
import { leftOpen } from './left-open.ts';
import { machine } from './machine.ts';
import { moving } from './moving.ts';
import { operators } from './operators.ts';
import { prepare } from './prepare.ts';
import { site } from './site/index.ts';

export const diagnosis = {
  unseen: 'cannot be seen from here',
  boot,
  bootstrap,
  causes,
  certificates,
  files,
  hosts,
  jobs,
  joining,
  leftOpen,
  machine,
  moving,
  operators,
  prepare,
  site,
};
