/** Version of the manifest format (manifests/manifest.schema.json). The minor part grows with every field added. */
export const schemaVersion = '1.3'
