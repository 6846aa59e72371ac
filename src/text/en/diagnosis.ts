/** The words of the judgements, by occasion, each under the code of its check or rule. */
import { boot } from './diagnosis/boot.ts';
import { bootstrap } from './diagnosis/bootstrap.ts';
import { causes } from './diagnosis/causes.ts';
import { certificates } from './diagnosis/certificates.ts';
import { files } from './diagnosis/files.ts';
import { hosts } from './diagnosis/hosts.ts';
import { jobs } from './diagnosis/jobs.ts';
import { joining } from './diagnosis/joining.ts';
import { leftOpen } from './diagnosis/left-open.ts';
import { machine } from './diagnosis/machine.ts';
import { moving } from './diagnosis/moving.ts';
import { operators } from './diagnosis/operators.ts';
import { prepare } from './diagnosis/prepare.ts';
import { site } from './diagnosis/site/index.ts';

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
