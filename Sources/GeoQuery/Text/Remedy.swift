/// What can be done about an error, in the words of these libraries.
///
/// Errors contain them as they stand here. `geoq` replaces them by the names of its options and commands,
/// so that only it has these.
package enum Remedy: String, CaseIterable, CustomStringConvertible {
  case allowNullIsland = "allow positions at 0, 0 to accept it"
  case asFormat = "or read it as"
  case asGeoJSON = "write it as GeoJSON to import it"
  case checkDatabase = "check the database"
  case chooseDatabase = "choose another file"
  case chooseFolder = "choose another folder for snapshots"
  case chooseNameColumn = "choose the name's column"
  case createDatabase = "create it by an import"
  case delimiter = "name another delimiter"
  case fillDatabase = "fill it by an import"
  case filterByHours = "a filter by opening hours finds"
  case headerNames = "give the names of the columns"
  case keepMissing = "keep what is missing from it, or allow a part as the whole"
  case makeTables = "make its tables first"
  case nameColumn = "name the column of the name"
  case noPositionColumns = "name no columns of positions"
  case omitEncoding = "name no encoding"
  case positionAndNameColumns = "name the columns of position and name"
  case positionColumns = "name the columns of the position"
  case pairOrder = "name the order of the two if it is another"
  case ratingScale = "name the scale if it is another"
  case verifyStore = "verify the store"
  case windows1252 = "read it as windows-1252"

  package var description: String { rawValue }
}
