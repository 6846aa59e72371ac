import { catalogue } from '../../i18n/catalogue.ts';
import { stuckRule } from './stuck-rule.ts';

/** A name server gives a wrong answer: nodes resolve api-int before they fetch anything. */
export const namesWrong = stuckRule('names-wrong', ({ wrongNames }) =>
  wrongNames.slice(0, 1).map(({ what, detail }) => {
    const { cause, remedy } = catalogue().diagnosis.bootstrap['names-wrong'];
    return { cause: cause(what, detail), remedy };
  }),
);
