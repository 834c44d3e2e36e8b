/** The simulated operations. */
export const operationNames = [
  'BatchGetItem',
  'BatchWriteItem',
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'DescribeTimeToLive',
  'GetItem',
  'ListTables',
  'PutItem',
  'Query',
  'Scan',
  'TransactGetItems',
  'TransactWriteItems',
  'UpdateItem',
  'UpdateTimeToLive',
] as const

export type OperationName = (typeof operationNames)[number]

/**
 * Operations of the API of 2012-08-10 that are not simulated. A run that uses one is unsupported.
 */
export const notSimulated: ReadonlySet<string> = new Set([
  ...['BatchExecuteStatement', 'CreateBackup', 'CreateGlobalTable', 'DeleteBackup', 'DeleteResourcePolicy'],
  ...['DescribeBackup', 'DescribeContinuousBackups', 'DescribeContributorInsights', 'DescribeEndpoints'],
  ...['DescribeExport', 'DescribeGlobalTable', 'DescribeGlobalTableSettings', 'DescribeImport'],
  ...['DescribeKinesisStreamingDestination', 'DescribeLimits', 'DescribeTableReplicaAutoScaling'],
  ...['DisableKinesisStreamingDestination', 'EnableKinesisStreamingDestination', 'ExecuteStatement'],
  ...['ExecuteTransaction', 'ExportTableToPointInTime', 'GetResourcePolicy', 'ImportTable', 'ListBackups'],
  ...['ListContributorInsights', 'ListExports', 'ListGlobalTables', 'ListImports', 'ListTagsOfResource'],
  ...['PutResourcePolicy', 'RestoreTableFromBackup', 'RestoreTableToPointInTime', 'TagResource', 'UntagResource'],
  ...['UpdateContinuousBackups', 'UpdateContributorInsights', 'UpdateGlobalTable', 'UpdateGlobalTableSettings'],
  ...['UpdateKinesisStreamingDestination', 'UpdateTable', 'UpdateTableReplicaAutoScaling'],
])
