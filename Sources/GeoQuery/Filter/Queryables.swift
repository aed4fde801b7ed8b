/// What filters can test, as a JSON Schema (OGC 19-079r2, requirement /req/queryables/get-queryables-response).
public enum Queryables {
  /// The schema, under its address and the collection's title: a property for each key of the record that
  /// conditions test, the members of `extra` by a pattern, and the geometry.
  public static func schema(id: String, title: String) -> [JSONMember] {
    let properties = Condition.Field.allCases.filter { $0 != .extra }.map { field in
      JSONMember(name: field.rawValue, value: .object(definition(of: field)))
    }
    let geometry: [JSONMember] = [
      .init(name: "x-ogc-role", value: .string("primary-geometry")),
      .init(name: "format", value: .string("geometry-point")),
    ]
    return [
      .init(name: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
      .init(name: "$id", value: .string(id)), .init(name: "title", value: .string(title)),
      .init(name: "type", value: .string("object")),
      .init(
        name: "properties",
        value: .object(properties + [.init(name: "geometry", value: .object(geometry))])
      ),
      .init(
        name: "patternProperties",
        value: .object([
          .init(
            name: "^extra\\..+$",
            value: .object([
              .init(
                name: "type",
                value: .array(["string", "number", "boolean"].map(JSONValue.string))
              )
            ])
          )
        ])
      ),
      .init(name: "additionalProperties", value: .bool(false)),
    ]
  }

  private static func definition(of field: Condition.Field) -> [JSONMember] {
    let type =
      switch RestaurantField(rawValue: field.rawValue)?.kind {
      case .real: "number"
      case .whole: "integer"
      case .flag: "boolean"
      // a list is one text
      case .text, .texts, .object, nil: "string"
      }
    return [.init(name: "type", value: .string(type))]
      + (field == .id ? [.init(name: "x-ogc-role", value: .string("id"))] : [])
  }
}
