import { CAUSES, type CauseWords } from '../../diagnosis/causes/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { proseRows } from '../../text/command-lines.ts';
import { type Block, heading, longTerms, text } from './page.ts';

const words = () => catalogue().diagnose.page;

/** Every rule of `upi-wizard diagnose`. */
export function diagnosisPage(): readonly Block[] {
  const of = catalogue().diagnosis.causes;
  return [
    text(words().intro),
    text(words().bundle),
    text(words().likelihoods),
    heading(words().rulesTitle),
    longTerms(
      CAUSES.map(({ id }) => {
        const { title, cause, whatToDo }: CauseWords = of[id];
        return { name: id, lines: [`${title}. ${cause}`, ...proseRows(whatToDo).map(({ text: line }) => line)] };
      }),
    ),
  ];
}
