import GeoQuery

extension OpenAPIText {
  /// The schemas of `/cover` and `/meet`.
  static let plans = """
    "coverQuestion":{"type":"object","required":["lat","lon","want"],"additionalProperties":false,\
    "properties":{"lat":{"type":"number","minimum":-90,"maximum":90},\
    "lon":{"type":"number","minimum":-180,"maximum":180},\
    "want":{"type":"array","minItems":1,"maxItems":\(CoverQuery.maximumWants),"items":\(filter)},\
    "places":{"type":"integer","minimum":1,"maximum":\(CoverQuery.maximumPlaces),\
    "default":\(CoverQuestion.defaultPlaces)},\
    "by":{"type":"string","enum":["farthest","walk","spread"]},\
    "max":{"type":"number","minimum":0,"maximum":\(ServiceLimits.radius)},\
    "prefer":{"type":"string","enum":["count","value"]},\
    "rank":{"type":"integer","minimum":1,"maximum":\(ServiceLimits.count)},\
    "frontier":{"type":"boolean"}}},\
    "cover":{"type":"object","required":["schema","of","places"],"properties":{\
    "schema":{"type":"string","enum":["geoq.cover/1"]},"met":{"type":"integer","minimum":0},\
    "of":{"type":"integer","minimum":1},"value":{"type":"number","minimum":0},\
    "cost":{"type":"number","minimum":0},"by":{"type":"string"},"optimal":{"type":"boolean"},\
    "bounds":{"type":"object","required":["met","places","cost"],"properties":{\
    "met":{"type":"number"},"places":{"type":"integer"},"cost":{"type":"number"}}},\
    "places":{"type":"array","items":{"type":"object","required":["id","distance","meets"],\
    "properties":{"id":{"type":"string"},"name":{"type":"string"},"distance":{"type":"number"},\
    "meets":{"type":"array","items":{"type":"string"}},\
    "lacks":{"type":"array","items":{"type":"string"}}}}},\
    "wants":{"type":"array","items":{"type":"object","required":["want","met","places"],\
    "properties":{"want":{"type":"string"},"met":{"type":"boolean"},"by":{"type":"string"},\
    "places":{"type":"integer","minimum":0},"nearest":{"type":"object","required":["id","distance"],\
    "properties":{"id":{"type":"string"},"distance":{"type":"number"}}},\
    "unmet":{"type":"string","enum":["nowhere","beyond","places"]}}}}}},\
    "meeting":{"type":"object","required":["schema","count","by","items"],"properties":{\
    "schema":{"type":"string","enum":["geoq.meet/1"]},"count":{"type":"integer","minimum":0},\
    "by":{"type":"string","enum":["sum","max"]},"items":{"type":"array","items":{"type":"object",\
    "required":["id","cost","distances"],"properties":{"id":{"type":"string"},\
    "name":{"type":"string"},"cost":{"type":"number","minimum":0},\
    "distances":{"type":"array","items":{"type":"number","minimum":0}}}}}}}
    """
}
