export { diffLines } from '../text/diff.ts';
