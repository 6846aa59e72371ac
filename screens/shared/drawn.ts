/** How wide the text of a screen was drawn last: the keys that read on in it need to know how many lines it has. */
export const drawn = { columns: 80 };
