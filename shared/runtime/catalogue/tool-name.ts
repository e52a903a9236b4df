/** Name for tool faces: `<integration>_<step>` in snake_case. */
export const toolName = (integration: string, step: string) => `${integration}_${step}`.replaceAll('-', '_')
