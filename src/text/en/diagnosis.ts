/** The words of the judgements, by occasion, each under the code of its check or rule. */
import { boot } from './diagnosis/boot.ts';
import { bootstrap } from './diagnosis/bootstrap.ts';
import { joining } from './diagnosis/joining.ts';
import { prepare } from './diagnosis/prepare.ts';

export const diagnosis = {
  unseen: 'cannot be seen from here',
  boot,
  bootstrap,
  joining,
  prepare,
};
