import { fail, path, readRow, textOf } from '#kit'
import type { Path, Row, StepContext } from '#kit'
import { resolveId } from './refs.ts'
import { checkCard } from './scoped-card.ts'

/**
 * The last part of the download's path, which only names the file. Characters that a path cannot contain are replaced.
 */
const lastPart = (name: string) =>
  name.replaceAll(/[/\\%;?#\p{Cc}\p{Cf}]/gu, '_').replaceAll(/^[.\s]+|(?<![.\s])[.\s]+$/g, '') || 'file'

/**
 * Reads an attachment that was uploaded, and where the board has its content. `more`: further fields of the attachment
 * to read. @throws Failure `invalid_input` for a link, whose content is elsewhere
 */
export const findUpload = async (
  ctx: StepContext,
  { idAttachment, ...scoped }: Parameters<typeof checkCard>[1] & { idAttachment: string },
  more = '',
): Promise<{ row: Row; at: Path }> => {
  const card = (await checkCard(ctx, scoped)) ?? (await resolveId(ctx, 'card', scoped.idCard))
  const query = { fields: `name,fileName,isUpload,url${more}` }
  const row = readRow(
    await ctx.send({ method: 'GET', path: path`/1/cards/${card}/attachments/${idAttachment}`, query }),
    'an attachment',
  )
  if (row.isUpload !== true) {
    throw fail(
      'invalid_input',
      `The attachment ${idAttachment} is a link to ${textOf(row, 'url').slice(0, 200)}, not an uploaded file. Only uploads can be downloaded.`,
    )
  }
  const at = path`/1/cards/${card}/attachments/${idAttachment}/download/${lastPart(textOf(row, 'fileName'))}`
  return { row, at }
}
