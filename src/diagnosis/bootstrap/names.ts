import { catalogue } from '../../text/catalogue.ts';
import { stuckRule } from './stuck.ts';

/** Nodes look up api-int before they fetch anything. */
export const names = stuckRule('names-wrong', ({ wrongNames }) =>
  wrongNames.slice(0, 1).map(({ what, detail }) => {
    const { cause, whatToDo } = catalogue().diagnosis.bootstrap['names-wrong'];
    return { cause: cause(what, detail), whatToDo };
  }),
);
