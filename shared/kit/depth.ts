/** Whether JSON text nests deeper than that; brackets inside texts do not count. Parsed, such a value breaks whoever walks or prints it. */
export const nestsDeeper = (text: string, levels: number): boolean => {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === 92) at += 1
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 91 || code === 123) {
      depth += 1
      if (depth > levels) return true
    } else if (code === 93 || code === 125) depth -= 1
  }
  return false
}
