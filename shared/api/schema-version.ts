/**
 * Version of the manifest's own shape; see manifests/manifest.schema.json. Its minor part grows with every field added.
 */
export const schemaVersion = '1.3'
