import { failField } from '#kit'

/** The text of a header that holds percent-encoded UTF-8. @throws Failure `invalid_input` */
export const readHeaderText = (header: string, value: string, example: string): string => {
  try {
    return decodeURIComponent(value)
  } catch {
    throw failField(
      `/headers/${header.toLowerCase()}`,
      `The header ${header} is not percent-encoded UTF-8. Encode it, like "${example}".`,
    )
  }
}
