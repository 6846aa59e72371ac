/** Width of the text in the last render: the scroll keys need it to compute the number of lines. */
export const lastRender = { columns: 80 };
