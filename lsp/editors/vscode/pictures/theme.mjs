// The token colours of VS Code's dark and light themes, as far as the grammar's
// scopes reach them.
const colours = (c) => [
  { settings: { foreground: c.text, background: c.back } },
  ...Object.entries({
    comment: c.comment,
    string: c.string,
    "constant.character.escape": c.escape,
    "constant.numeric": c.number,
    "keyword.other.unit": c.number,
    "constant.language, support.constant": c.constant,
    keyword: c.constant,
    "keyword.operator": c.text,
    "keyword.operator.word": c.constant,
    "keyword.control": c.control,
    "storage, variable.language": c.constant,
    "entity.name.function, support.function": c.call,
    "entity.name.type, entity.name.namespace, support.type": c.type,
    "meta.embedded": c.text,
    "variable, support.variable": c.variable,
    "variable.other.constant, variable.other.enummember": c.event,
    "variable.language": c.constant,
    "entity.name.label": c.label,
    "entity.name.tag": c.constant,
    "punctuation.section.interpolation": c.constant,
    "punctuation.definition.string": c.string,
    "punctuation.definition.comment": c.comment,
    invalid: c.invalid,
  }).map(([scope, foreground]) => ({ scope: scope.split(", "), settings: { foreground } })),
  { scope: "invalid", settings: { fontStyle: "underline" } },
];

export const themes = {
  dark: colours({
    text: "#D4D4D4", back: "#1E1E1E", comment: "#6A9955", string: "#CE9178", escape: "#D7BA7D", number: "#B5CEA8",
    constant: "#569CD6", control: "#C586C0", call: "#DCDCAA", type: "#4EC9B0", variable: "#9CDCFE", event: "#4FC1FF",
    label: "#C8C8C8", invalid: "#F44747",
  }),
  light: colours({
    text: "#000000", back: "#FFFFFF", comment: "#008000", string: "#A31515", escape: "#EE0000", number: "#098658",
    constant: "#0000FF", control: "#AF00DB", call: "#795E26", type: "#267F99", variable: "#001080", event: "#0070C1",
    label: "#000000", invalid: "#CD3131",
  }),
};
