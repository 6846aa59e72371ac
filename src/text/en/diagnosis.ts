/** The words of the judgements, by occasion, each under the code of its check or rule. */
import { joining } from './diagnosis/joining.ts';

export const diagnosis = {
  unseen: 'cannot be seen from here',
  joining,
};
